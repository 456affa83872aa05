"""The compact table of the dm_control suite, for the documentation."""

import real_env
from speed_table import OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING, Ratio, by_threads

compact = by_threads(
    ["dm_control"],
    [OURS_TO_REAL, Ratio("ours / dm_control", "dm_control"), OURS_TO_CEILING, REAL_TO_CEILING],
    "dm_control is its own environment in a loop of Python's. The ceiling is a bare C++ loop over "
    "`mj_step2`, `mj_step` as often as there are more sub-steps, and `mj_step1`, in free threads, "
    f"with the MuJoCo of ours. {real_env.NAME} has MuJoCo {real_env.MUJOCO} built in.",
)
