"""The compact table of the dm_control suite, for the documentation."""

from collections.abc import Iterator

import real_env
from case import Group
from report import CaseReport, Report
from table import markdown, percent, rate_cell, times

THREADS = (1, 2)
GROUPS: tuple[Group, ...] = ("ours", "envpool", "dm_control", "ceiling")


def speed(report: Report) -> str:
    """One line per case and number of threads, in environment steps per second."""
    head = ["case", "threads", "ours", real_env.NAME, "dm_control", "ceiling"]
    head += ["ours / EnvPool", "ours / dm_control", "ours of ceiling", "EnvPool of ceiling"]
    body = [row for case in report.cases for row in speed_rows(case)]
    note = f"Environment steps per second, median of {report.rounds} rounds in alternation. "
    note += "Random actions, the episodes under way. dm_control is its own environment in a loop "
    note += "of Python's. The ceiling is a bare C++ loop over `mj_step2`, `mj_step` as often as "
    note += "there are more sub-steps, and `mj_step1`, in free threads, with the MuJoCo of ours. "
    note += f"{real_env.NAME} has MuJoCo 3.6.0 built in. "
    note += "; ".join(report.provenance.lines()) + "."
    return "\n".join([*markdown(head, body), "", note]) + "\n"


def speed_rows(case: CaseReport) -> Iterator[list[str]]:
    for threads in THREADS:
        results = [case.with_threads(group, threads) for group in GROUPS]
        ours, real = results[:2]
        if not ours:
            continue
        yield [
            case.case.name,
            str(threads),
            *(rate_cell(case, result) for result in results),
            times(case.ratio_same_threads(ours, "envpool")),
            times(case.ratio_same_threads(ours, "dm_control")),
            percent(case.ratio_same_threads(ours, "ceiling")),
            percent(case.ratio_same_threads(real, "ceiling") if real else None),
        ]
