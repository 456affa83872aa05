"""The compact table of the Atari suite, for the documentation."""

from collections.abc import Iterator

import real_env
from case import Group
from report import CaseReport, Report
from table import markdown, percent, rate_cell, times

THREADS = (1, 2)
GROUPS: tuple[Group, ...] = ("ours", "envpool", "ale", "gymnasium", "ceiling")


def speed(report: Report) -> str:
    """One line per case and number of threads, in environment steps per second."""
    head = ["case", "threads", "ours", real_env.NAME, "ALE vector", "Gymnasium", "ceiling"]
    head += ["ours / EnvPool", "ours / ALE vector", "ours of ceiling"]
    body = [row for case in report.cases for row in speed_rows(case)]
    note = "Environment steps, of four frames each, per second; median of "
    note += f"{report.rounds} rounds in alternation. Random actions, the episodes under way. "
    note += "Everybody's pictures are grey, 84x84, four in a stack, and after an episode the next "
    note += "step resets. ALE vector is `ale_py.AtariVectorEnv`; Gymnasium is `SyncVectorEnv` with "
    note += "`AtariPreprocessing` and `FrameStackObservation`. The ceiling is free threads that "
    note += "call ALE's `act` four times per step and nothing else, with the ALE of ours. "
    note += "; ".join(report.provenance.lines()) + "."
    return "\n".join([*markdown(head, body), "", note]) + "\n"


def speed_rows(case: CaseReport) -> Iterator[list[str]]:
    for threads in THREADS:
        results = [case.with_threads(group, threads) for group in GROUPS]
        ours = results[0]
        if not ours:
            continue
        yield [
            case.case.name,
            str(threads),
            *(rate_cell(case, result) for result in results),
            times(case.ratio_same_threads(ours, "envpool")),
            times(case.ratio_same_threads(ours, "ale")),
            percent(case.ratio_same_threads(ours, "ceiling")),
        ]
