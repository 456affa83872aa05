"""The compact table of the dm_control suite, for the documentation."""

import real_env
import speed_table
from report import Report
from speed_table import OURS_TO_CEILING, OURS_TO_REAL, REAL_TO_CEILING, Ratio

OURS_TO_DM_CONTROL = Ratio("ours / dm_control", "dm_control")
RATIOS = (OURS_TO_REAL, OURS_TO_DM_CONTROL, OURS_TO_CEILING, REAL_TO_CEILING)


def speed(report: Report) -> str:
    """One line per case and number of threads, in environment steps per second."""
    note = "dm_control is its own environment in a loop "
    note += "of Python's. The ceiling is a bare C++ loop over `mj_step2`, `mj_step` as often as "
    note += "there are more sub-steps, and `mj_step1`, in free threads, with the MuJoCo of ours. "
    note += f"{real_env.NAME} has MuJoCo 3.6.0 built in."
    return speed_table.by_threads(report, ["dm_control"], RATIOS, note)
