"""What the compact tables of simulators with a ceiling have in common."""

from collections.abc import Iterator

import real_env
from case import Group
from report import CaseReport, Report
from table import markdown, percent, rate_cell, times

THREADS = (1, 2)
GROUPS: tuple[Group, ...] = ("ours", "envpool", "gymnasium", "ceiling")


def by_threads(report: Report, note: str) -> str:
    """One line per case and number of threads, in environment steps per second.

    `note` says in whole sentences what is particular to the suite.
    """
    head = ["case", "threads", "ours", real_env.NAME, "Gymnasium", "ceiling"]
    head += ["ours / EnvPool", "ours / best EnvPool", "ours of ceiling", "EnvPool of ceiling"]
    body = [row for case in report.cases for row in rows(case)]
    setting = f"Environment steps per second, median of {report.rounds} rounds in alternation. "
    setting += "Random actions, the episodes under way."
    origin = "; ".join(report.provenance.lines()) + "."
    return "\n".join([*markdown(head, body), "", f"{setting} {note} {origin}"]) + "\n"


def rows(case: CaseReport) -> Iterator[list[str]]:
    for threads in THREADS:
        ours, real, gymnasium, ceiling = (case.with_threads(group, threads) for group in GROUPS)
        if not ours:
            continue  # This case is for another number of threads.
        yield [
            case.case.name,
            str(threads),
            *(rate_cell(case, result) for result in (ours, real, gymnasium, ceiling)),
            times(case.ratio_same_threads(ours, "envpool")),
            times(case.ratio(ours)),
            percent(case.ratio_same_threads(ours, "ceiling")),
            percent(case.ratio_same_threads(real, "ceiling") if real else None),
        ]
