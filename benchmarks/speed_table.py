"""What the compact tables of simulators with a ceiling have in common."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import real_env
from case import Group
from report import CaseReport, Report
from table import noted, percent, rate_cell, times

THREADS = (1, 2)
Peer = Literal["gymnasium", "ale", "dm_control"]
NAMES: dict[Peer, str] = {
    "gymnasium": "Gymnasium",
    "ale": "ALE vector",
    "dm_control": "dm_control",
}


class Ratio(NamedTuple):
    """A column: how many times faster `group` is than the contenders of `than`."""

    name: str
    than: Group
    group: Group = "ours"
    threads: Literal["same", "best"] = "same"

    def cell(self, case: CaseReport, threads: int) -> str:
        result = case.with_threads(self.group, threads)
        if result is None:
            return percent(None)
        if self.threads == "best":
            return times(case.ratio(result))
        ratio = case.ratio_same_threads(result, self.than)
        return percent(ratio) if self.than == "ceiling" else times(ratio)


OURS_TO_REAL = Ratio("ours / EnvPool", "envpool")
OURS_TO_BEST = Ratio("ours / best EnvPool", "envpool", threads="best")
OURS_TO_CEILING = Ratio("ours of ceiling", "ceiling")
REAL_TO_CEILING = Ratio("EnvPool of ceiling", "ceiling", group="envpool")


def by_threads(
    peers: Sequence[Peer], ratios: Sequence[Ratio], note: str
) -> Callable[[Report], str]:
    """A table with one line per case and number of threads, in environment steps per second.

    `note` says in whole sentences what is particular to the suite.
    """
    head = ["case", "threads", "ours", real_env.NAME, *(NAMES[peer] for peer in peers), "ceiling"]
    groups: list[Group] = ["ours", "envpool", *peers, "ceiling"]

    def compact(report: Report) -> str:
        body = [row for case in report.cases for row in rows(case, groups, ratios)]
        setting = f"Environment steps per second, median of {report.rounds} rounds in alternation. "
        setting += "Random actions, the episodes under way."
        columns = [*head, *(ratio.name for ratio in ratios)]
        return noted(columns, body, f"{setting} {note}", report.provenance)

    return compact


def rows(case: CaseReport, groups: Sequence[Group], ratios: Sequence[Ratio]) -> Iterator[list[str]]:
    for threads in THREADS:
        if not case.with_threads("ours", threads):
            continue  # This case is for another number of threads.
        yield [
            case.case.name,
            str(threads),
            *(rate_cell(case, case.with_threads(group, threads)) for group in groups),
            *(ratio.cell(case, threads) for ratio in ratios),
        ]
