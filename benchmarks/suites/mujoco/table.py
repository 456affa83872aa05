"""The compact table of the MuJoCo suite, for the documentation."""

import real_env
from speed_table import OURS_TO_BEST, OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING, by_threads

compact = by_threads(
    ["gymnasium"],
    [OURS_TO_REAL, OURS_TO_BEST, OURS_TO_CEILING, REAL_TO_CEILING],
    "The ceiling is a bare C++ loop over `mj_step`, and `mj_rnePostConstraint` where contact "
    "forces are observed, in free threads, with the MuJoCo of ours. "
    f"{real_env.NAME} has MuJoCo {real_env.MUJOCO} built in; its best is that of 1 and 2 threads.",
)
