"""The compact table of the MuJoCo suite, for the documentation."""

import real_env
from speed_table import OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING, by_case

compact = by_case(
    ["gymnasium"],
    [OURS_TO_REAL, OURS_TO_CEILING, REAL_TO_CEILING],
    "The ceiling is free threads that only step the engine. "
    f"{real_env.NAME} has MuJoCo {real_env.MUJOCO} built in.",
)
