"""What contenders of one process cost, which take turns."""

import os
import resource
import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.table import Table


class Usage(NamedTuple):
    """What a round has cost."""

    rate: float  # steps of environments per second
    busy_ms: float  # of processors, per 1,000 steps
    switches: float  # per 1,000 steps


Contender = Callable[[float], Usage]  # runs for so many seconds
Cases = dict[str, Callable[[], dict[str, Contender]]]


def compare(console: Console, cases: Cases, pattern: str, rounds: int, seconds: float) -> None:
    """Print a table of the medians, and of the medians of ratios to the first of each case."""
    table = Table(
        "case", "contender", "steps/s", "CPU ms", "switches", "ratio of rates", "of CPU times"
    )
    load = os.getloadavg()[0]
    for name, make in cases.items():
        if pattern not in name:
            continue
        with console.status(name):
            contenders = make()
            for run in contenders.values():
                run(seconds / 10)
            found: dict[str, list[Usage]] = {each: [] for each in contenders}
            for _ in range(rounds):
                for each, run in contenders.items():
                    found[each].append(run(seconds))
        (_, base), *_ = found.items()
        for each, usages in found.items():
            pairs = list(zip(usages, base, strict=True))
            rate, busy, switches = (median(column) for column in zip(*usages, strict=True))
            table.add_row(
                name,
                each,
                f"{rate:,.0f}",
                f"{busy:.4g}",
                f"{switches:.2f}",
                f"{median(usage.rate / theirs.rate for usage, theirs in pairs):.3f}",
                f"{median(usage.busy_ms / theirs.busy_ms for usage, theirs in pairs):.3f}",
            )
    console.print(table)
    console.print(f"{os.cpu_count()} cores, load {load:.1f} before, {rounds} rounds of {seconds} s")


def measure(run: Callable[[float], int], seconds: float) -> Usage:
    """What a function costs that runs until a moment and returns its number of steps."""
    before, begin = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    steps = run(begin + seconds)
    after, end = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    busy = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    switches = after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw
    return Usage(steps / (end - begin), 1e6 * busy / steps, 1000 * switches / steps)
