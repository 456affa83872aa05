"""The compact table of the Procgen suite, for the documentation."""

from speed_table import OURS_TO_CEILING, OURS_TO_REAL, by_case

compact = by_case(
    [],
    [OURS_TO_REAL, OURS_TO_CEILING],
    "The ceiling is free threads that only step games of procgen's library.",
)
