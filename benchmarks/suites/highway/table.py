"""The compact table of the driving suite, for the documentation."""

from dataclasses import replace

import table
from report import Report, best


def compact(report: Report) -> str:
    """The cases of one environment, which highway-env entered, and a sentence on the others."""
    alone = [case for case in report.cases if case.case.num_envs == 1]
    others = [case for case in report.cases if case not in alone]
    ratios = [
        ratio
        for case in others
        if (ours := best(case.group("ours")))
        if (ratio := case.ratio(ours))
    ]
    note = f"In cases of 64 and 1,024 environments ours is {table.times(min(ratios))} to "
    note += f"{table.times(max(ratios))} as fast as EnvPool."
    return f"{table.compact(replace(report, cases=alone))}\n{note}\n"
