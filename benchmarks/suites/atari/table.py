"""The compact table of the Atari suite, for the documentation."""

import speed_table
from report import Report
from speed_table import OURS_TO_CEILING, OURS_TO_REAL, Ratio

RATIOS = (OURS_TO_REAL, Ratio("ours / ALE vector", "ale"), OURS_TO_CEILING)


def speed(report: Report) -> str:
    """One line per case and number of threads, in environment steps per second."""
    note = "A step is four frames. "
    note += "Everybody's pictures are grey, 84x84, four in a stack, and after an episode the next "
    note += "step resets. ALE vector is `ale_py.AtariVectorEnv`; Gymnasium is `SyncVectorEnv` with "
    note += "`AtariPreprocessing` and `FrameStackObservation`. The ceiling is free threads that "
    note += "call ALE's `act` four times per step and nothing else, with the ALE of ours."
    return speed_table.by_threads(report, ["ale", "gymnasium"], RATIOS, note)
