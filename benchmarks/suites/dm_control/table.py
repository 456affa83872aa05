"""The compact table of the dm_control suite, for the documentation."""

import real_env
from speed_table import OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING, Ratio, by_case

compact = by_case(
    ["dm_control"],
    [OURS_TO_REAL, Ratio("ours / dm_control", "dm_control"), OURS_TO_CEILING, REAL_TO_CEILING],
    "dm_control is one of its own environments. The ceiling is free threads that only step the "
    f"engine. {real_env.NAME} has MuJoCo {real_env.MUJOCO} built in.",
)
