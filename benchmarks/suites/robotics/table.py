"""The compact table of the robotics suite, for the documentation."""

import real_env
import speed_table
from report import Report
from speed_table import OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING, Ratio

OURS_TO_ORIGINAL = Ratio("ours / Gymnasium", "gymnasium")
RATIOS = (OURS_TO_REAL, OURS_TO_ORIGINAL, OURS_TO_CEILING, REAL_TO_CEILING)


def speed(report: Report) -> str:
    """One line per case and number of threads, in environment steps per second."""
    note = "Gymnasium has gymnasium-robotics' own environments, one after the other. The ceiling "
    note += "is a bare C++ loop over `mj_step` in free threads, with the MuJoCo of ours; before it "
    note += "PointMaze computes all forces anew, as its velocity may have been limited. "
    note += f"{real_env.NAME} has MuJoCo 3.6.0 built in."
    return speed_table.by_threads(report, ["gymnasium"], RATIOS, note)
