"""Times two installations of our envpool against each other: is a change slower than what was?

    python benchmarks/compare.py BEFORE/bin/python [--after AFTER/bin/python]
    python benchmarks/compare.py BEFORE/bin/python --instructions

Both take turns, in processes of their own. A ratio is that of two rounds that follow each other, so
that what slows the machine down hits both; above 1 the later installation is slower. The interval
is where the median of many such ratios lies with a probability of at least 95 %, whatever their
distribution. Where that is too wide to tell, `--instructions` counts instead of timing:
instructions per call, by valgrind's callgrind, from two runs of different length. In synchronous
cases it counts those of the calling thread, which does all the work there: how long the other one
looks for some says nothing. In asynchronous ones it counts all, so the figures are rough.
"""

import re
import subprocess
import sys
import tempfile
from contextlib import ExitStack, closing
from math import comb
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from case import Case, simulator_case
from contender import Contender
from race import Race
from report import CaseReport
from run import COLUMNS
from worker_client import WorkerClient

SIMULATORS = ("LunarLander-v3", "HalfCheetah-v5", "Pong-v5")
CASES = [
    *(Case("CartPole-v1", n, num_threads=1) for n in (1, 8, 64, 1024)),
    *(Case("CartPole-v1", n, batch, num_threads=1) for n, batch in ((64, 16), (1024, 256))),
    *(simulator_case(task, 64, num_threads=2) for task in SIMULATORS),
    *(simulator_case(task, 64, 16, num_threads=2) for task in SIMULATORS),
]
CONFIDENCE = 0.95
COUNTED_CALLS = 2000  # this many, and twice as many
CALLGRIND = "valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file={out}"
COUNT = """
import sys
import numpy as np
import envpool
task, num_envs, batch_size, calls = sys.argv[1], *map(int, sys.argv[2:])
env = envpool.make(task, "gymnasium", num_envs=num_envs, batch_size=batch_size, num_threads=1)
rng = np.random.default_rng(0)
space = env.action_space
space.seed(0)
actions = [np.stack([space.sample() for _ in range(batch_size)]) for _ in range(16)]
if batch_size == num_envs:
    env.reset()
    for i in range(calls):
        env.step(actions[i % 16])
else:
    env.async_reset()
    for i in range(calls):
        info = env.recv()[-1]
        env.send(actions[i % 16], info["env_id"])
"""

console = Console()


def main(
    before: Annotated[Path, typer.Argument(help="Interpreter that has the earlier envpool.")],
    after: Annotated[
        Path, typer.Option(help="Interpreter that has the later one.", show_default="this one")
    ] = Path(sys.executable),
    cases: Annotated[
        str, typer.Option(metavar="PATTERN", help="Only cases whose name contains this.")
    ] = "*",
    task: Annotated[
        str, typer.Option(help="Another task than those of the cases, with 64 and 1,024.")
    ] = "",
    rounds: Annotated[int, typer.Option(min=6, help="Timed rounds of each.")] = 15,
    seconds: Annotated[float, typer.Option(min=0, help="Least length of a round.")] = 0.3,
    instructions: Annotated[
        bool, typer.Option("--instructions", help="Count instructions instead of timing.")
    ] = False,
) -> None:
    """Time two installations of our envpool against each other."""
    all_cases = [Case(task, n, num_threads=1) for n in (64, 1024)] if task else CASES
    chosen = [case for case in all_cases if case.matches(cases)]
    if not chosen:
        raise typer.BadParameter("no case has such a name", param_hint="--cases")
    if instructions:
        count_all(before, after, chosen)
    else:
        time_all(before, after, chosen, rounds, seconds)


def time_all(before: Path, after: Path, cases: list[Case], rounds: int, seconds: float) -> None:
    """Print the ratios of times per call."""
    table = Table("case", "before, us", "after, us", "ratio", "95 % interval", "CPU time")
    with ExitStack() as stack, Progress(*COLUMNS, console=console, auto_refresh=False) as progress:
        workers = {
            name: stack.enter_context(closing(WorkerClient([str(python.absolute()), "-P"])))
            for name, python in (("before", before), ("after", after))
        }
        bar = progress.add_task("", total=len(cases) * 2 * (1 + rounds))

        def show(case: Case, contender: Contender) -> None:
            progress.update(bar, advance=1, refresh=True, description=case.name)

        for case in cases:
            options = {"num_threads": case.num_threads or 1}
            contenders = [Contender(name, "ours", "envpool", options) for name in workers]
            report = Race(contenders, workers, rounds, seconds, show).run(case)
            table.add_row(case.name, *compared(report))
    console.print(table)


def compared(report: CaseReport) -> list[str]:
    """The figures of one case, or why there are none."""
    old, new = report.results
    if old.failure or new.failure:
        return [old.failure or "", new.failure or "", "", "", ""]
    pairs = list(zip(old.rounds, new.rounds, strict=True))
    ratios = sorted(b.micros / a.micros for a, b in pairs)
    low, high = interval(ratios)
    cpu = median(b.cpu_micros / a.cpu_micros for a, b in pairs)
    return [
        f"{old.median:.3g}",
        f"{new.median:.3g}",
        f"{median(ratios):.3f}",
        f"{low:.3f} to {high:.3f}",
        f"{cpu:.3f}",
    ]


def interval(ordered: list[float]) -> tuple[float, float]:
    """The narrowest pair of order statistics that encloses the median with `CONFIDENCE`.

    Each value lies below the median as a coin falls, so the number of those that do is binomial.
    """
    n = len(ordered)
    outside, cut = 0.0, 0
    while cut < n // 2 and outside + 2 * comb(n, cut) / 2**n <= 1 - CONFIDENCE:
        outside += 2 * comb(n, cut) / 2**n
        cut += 1
    cut = max(cut - 1, 0)
    return ordered[cut], ordered[-1 - cut]


def count_all(before: Path, after: Path, cases: list[Case]) -> None:
    """Print the instructions per call."""
    table = Table("case", "before", "after", "ratio")
    for case in cases:
        with console.status(f"counting {case.name}"):
            old, new = (count(python, case) for python in (before, after))
        table.add_row(case.name, f"{old:,.0f}", f"{new:,.0f}", f"{new / old:.4f}")
    console.print(table)


def count(python: Path, case: Case) -> float:
    """Instructions per call of all threads, what happens before the first call left out."""
    runs = [count_run(python, case, calls) for calls in (COUNTED_CALLS, 2 * COUNTED_CALLS)]
    return (runs[1] - runs[0]) / COUNTED_CALLS


def count_run(python: Path, case: Case, calls: int) -> int:
    """Instructions of a process that makes so many calls."""
    batch_size = case.batch_size or case.num_envs
    with tempfile.TemporaryDirectory() as folder:
        command = [*CALLGRIND.format(out=f"{folder}/out").split(), str(python.absolute()), "-P"]
        arguments = [case.task, *map(str, (case.num_envs, batch_size, calls))]
        subprocess.run([*command, "-c", COUNT, *arguments], capture_output=True, check=True)
        # One file for each thread; the first one's number is 1.
        files = sorted(Path(folder).glob("out-*"))
        return sum(map(total, files if case.is_async else files[:1]))


def total(file: Path) -> int:
    """The instructions that a file of callgrind's adds up to."""
    found = re.search(r"^totals: (\d+)", file.read_text("utf-8"), re.MULTILINE)
    assert found is not None, file
    return int(found[1])


if __name__ == "__main__":
    typer.run(main)
