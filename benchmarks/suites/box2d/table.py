"""The compact table of the Box2D suite, for the documentation."""

import real_env
import speed_table
from report import Report
from speed_table import OURS_TO_BEST, OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING

RATIOS = (OURS_TO_REAL, OURS_TO_BEST, OURS_TO_CEILING, REAL_TO_CEILING)


def speed(report: Report) -> str:
    """One line per case and number of threads, in environment steps per second."""
    note = "The ceiling is a bare C++ loop over the world and the rules of our LunarLander, in "
    note += "free threads; the other tasks have none. "
    note += f"{real_env.NAME} has a Box2D of its own; its best is that of 1 and 2 threads."
    return speed_table.by_threads(report, ["gymnasium"], RATIOS, note)
