"""The compact table of the Procgen suite, for the documentation."""

import real_env
from speed_table import OURS_TO_CEILING, OURS_TO_REAL, by_threads

compact = by_threads(
    [],
    [OURS_TO_REAL, OURS_TO_CEILING],
    f"{real_env.NAME} has compiled the engine itself. The ceiling is free threads that step bare "
    "games of procgen 0.10.7's library and nothing else, as upstream's own environment does.",
)
