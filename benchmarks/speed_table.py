"""What the compact tables of simulators with a ceiling have in common."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import real_env
from case import Group
from report import CaseReport, Report, best, ratio
from table import noted, percent, rate_cell, times

Peer = Literal["gymnasium", "ale", "dm_control"]
NAMES: dict[Group, str] = {
    "ours": "ours",
    "envpool": real_env.NAME,
    "gymnasium": "Gymnasium",
    "ale": "ALE vector",
    "dm_control": "dm_control",
    "ceiling": "ceiling",
}


class Ratio(NamedTuple):
    """A column: how many times faster `group` is than the contenders of `than`."""

    name: str
    than: Group
    group: Group = "ours"

    def cell(self, case: CaseReport) -> str:
        value = ratio(best(case.group(self.than)), best(case.group(self.group)))
        return percent(value) if self.than == "ceiling" else times(value)


OURS_TO_REAL = Ratio("ours / EnvPool", "envpool")
OURS_TO_CEILING = Ratio("ours of ceiling", "ceiling")
REAL_TO_CEILING = Ratio("EnvPool of ceiling", "ceiling", group="envpool")


def by_case(peers: Sequence[Peer], ratios: Sequence[Ratio], note: str) -> Callable[[Report], str]:
    """A table with one line per case, in environment steps per second.

    `note` says in whole sentences what is particular to the suite.
    """

    def compact(report: Report) -> str:
        entered = {result.contender.group for case in report.cases for result in case.results}
        groups: list[Group] = ["ours", "envpool", *peers]
        groups += ["ceiling"] if "ceiling" in entered else []
        body = [
            [
                case.case.name,
                *(rate_cell(case, best(case.group(group))) for group in groups),
                *(ratio.cell(case) for ratio in ratios),
            ]
            for case in report.cases
        ]
        setting = f"Environment steps per second, median of {report.rounds} rounds in alternation, "
        setting += "random actions, the number of threads that suits each."
        columns = ["case", *(NAMES[group] for group in groups), *(ratio.name for ratio in ratios)]
        return noted(columns, body, f"{setting} {note}", report.provenance)

    return compact
