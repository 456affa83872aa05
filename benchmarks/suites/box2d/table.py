"""The compact table of the Box2D suite, for the documentation."""

from speed_table import OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING, by_case

compact = by_case(
    ["gymnasium"],
    [OURS_TO_REAL, OURS_TO_CEILING, REAL_TO_CEILING],
    "The ceiling is free threads that step one of our LunarLanders after the other; ours exceed it "
    "where they step several side by side.",
)
