"""The compact table of the football suite, for the documentation."""

import real_env
from speed_table import OURS_TO_REAL, by_case

compact = by_case(
    [],
    [OURS_TO_REAL],
    f"{real_env.NAME} has compiled the same engine itself.",
)
