"""The compact table of the Box2D suite, for the documentation."""

import real_env
from speed_table import OURS_TO_BEST, OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING, by_threads

compact = by_threads(
    ["gymnasium"],
    [OURS_TO_REAL, OURS_TO_BEST, OURS_TO_CEILING, REAL_TO_CEILING],
    "The ceiling is a bare C++ loop over the world and the rules of our LunarLander, one "
    "environment after the other, in free threads: ours exceed it where they step several side by "
    f"side. The other tasks have none. {real_env.NAME} has a Box2D of its own; its best is that of "
    "1 and 2 threads.",
)
