"""The compact table of the robotics suite, for the documentation."""

import real_env
from speed_table import OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING, Ratio, by_threads

compact = by_threads(
    ["gymnasium"],
    [OURS_TO_REAL, Ratio("ours / Gymnasium", "gymnasium"), OURS_TO_CEILING, REAL_TO_CEILING],
    "Gymnasium has gymnasium-robotics' own environments, one after the other. The ceiling is a "
    "bare C++ loop over `mj_step` in free threads, with the MuJoCo of ours; before it PointMaze "
    "computes all forces anew, as its velocity may have been limited. "
    f"{real_env.NAME} has MuJoCo {real_env.MUJOCO} built in.",
)
