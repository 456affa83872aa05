"""``python -m envpool bench``."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.table import Table

import envpool
from envpool.cli.bench_python import NUM_PYTHON_ENVS, bench_environment
from envpool.cli.measure import ROUNDS, seconds_per_call
from envpool.cli.options import OptionArguments, finite, parse_options, refuse_options
from envpool.cli.output import errors_as_messages, make_console, make_progress, make_table
from envpool.flavours.stats import PoolStats
from envpool.machine import processor, usable_cores

# Options that have an argument of their own here.
_ARGUMENTS = {"num_envs": "--num-envs", "batch_size": "--async", "num_threads": "--num-threads"}
_NUM_ENVS = [1, 8, 64, 512, 1024]
_WHAT_ASYNC_COLUMNS_MEAN = (
    "parts of the time in which workers ran environments and recv() waited; "
    "batch age: mean time from a batch's completion to its recv()"
)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


@dataclass(frozen=True)
class Cell:
    """What is measured: so many environments, of which a call steps so many."""

    num_envs: int
    batch_size: int


@dataclass(frozen=True)
class Result:
    """The seconds per call in each round, and what the pool says of all rounds together."""

    cell: Cell
    rounds: list[float]
    stats: PoolStats

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """How far the rounds lie apart, relative to their median."""
        return (max(self.rounds) - min(self.rounds)) / self.median

    @property
    def steps_per_second(self) -> float:
        """Environment steps, which are ``batch_size`` per call."""
        return self.cell.batch_size / self.median

    @property
    def busy(self) -> float:
        """The part of the workers' time in which they ran environments."""
        workers = self.stats.worker_busy  # none where the calling thread does everything
        return sum(workers) / (len(workers) * self.stats.elapsed) if workers else 0.0


def bench_task(
    task: Annotated[str, typer.Argument(help="The task, such as CartPole-v1.", show_default=False)],
    *,
    python: Annotated[
        bool,
        typer.Option(
            "--python",
            help="The task is an environment written in Python, an id of Gymnasium's registry or "
            "Module:Id: compare Gymnasium's vector environments with ours, and find the best "
            "number of workers.",
        ),
    ] = False,
    num_envs: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            help="How many environments; repeatable.",
            show_default=f"{_listed(_NUM_ENVS)}; with --python {_listed(NUM_PYTHON_ENVS)}",
        ),
    ] = None,
    num_threads: Annotated[
        int, typer.Option(min=0, help="How many threads step them; 0: the pool decides.")
    ] = 0,
    seconds: Annotated[
        float,
        typer.Option(
            min=0.01, callback=finite, help="How long to measure each number of environments."
        ),
    ] = 0.5,
    asynchronous: Annotated[
        bool,
        typer.Option("--async", help="Call recv() and send(), with num_envs / 4 as batch_size."),
    ] = False,
    option: OptionArguments = None,
) -> None:
    """Measure how fast a task steps with random actions."""
    if python:
        with errors_as_messages():
            _refuse_with_python({"--async": asynchronous, "--num-threads": num_threads})
            options = parse_options(option or ())
            bench_environment(task, num_envs or NUM_PYTHON_ENVS, seconds, options)
        make_console().print(_provenance(), style="dim")
        return
    cells = [Cell(n, max(1, n // 4) if asynchronous else n) for n in num_envs or _NUM_ENVS]
    with errors_as_messages():
        options = parse_options(option or ())
        refuse_options(options, _ARGUMENTS)
        envpool.make_spec(task, **options)

    def open_pool(cell: Cell) -> envpool.GymnasiumEnvPool:
        shape = {"num_envs": cell.num_envs, "batch_size": cell.batch_size}
        with errors_as_messages():
            return envpool.make_gymnasium(task, **shape, num_threads=num_threads, **options)

    results = _measure_all(cells, open_pool, seconds, asynchronous)
    calls = "recv() and send()" if asynchronous else "step()"
    threads = f"num_threads={num_threads}" if num_threads else "the default number of threads"
    console = make_console()
    console.print(f"{task}: {calls} with random actions, {threads}\n")
    console.print(_table(results, asynchronous))
    console.print(f"\nmedian of {ROUNDS} rounds; spread: (max - min) / median", style="dim")
    if asynchronous:
        console.print(_WHAT_ASYNC_COLUMNS_MEAN, style="dim")
    console.print(_provenance(), style="dim")


def _refuse_with_python(arguments: Mapping[str, object]) -> None:
    """Refuse what only native pools have.

    Raises:
        ValueError: One of the arguments is given.

    """
    for name, value in arguments.items():
        if value:
            raise ValueError(f"{name} is given with --python, which compares steps of all")


def _measure_all(
    cells: Sequence[Cell],
    open_pool: Callable[[Cell], envpool.GymnasiumEnvPool],
    seconds: float,
    asynchronous: bool,
) -> list[Result]:
    results = []
    with make_progress() as progress:
        bar = progress.add_task("", total=len(cells) * ROUNDS)
        for cell in cells:
            progress.update(bar, description=f"{cell.num_envs} environments", refresh=True)
            rounds = []
            with open_pool(cell) as pool:
                with errors_as_messages():
                    for elapsed in seconds_per_call(pool, seconds, asynchronous):
                        rounds.append(elapsed)
                        progress.update(bar, advance=1, refresh=True)
                results.append(Result(cell, rounds, pool.stats()))
    return results


def _table(results: Iterable[Result], asynchronous: bool) -> Table:
    table = make_table()
    columns = ["num_envs", "batch_size", "µs per call", "steps/s", "spread"]
    if asynchronous:
        columns += ["workers busy", "recv waits", "batch age, µs"]
    for column in columns:
        table.add_column(column, justify="right")
    for result in results:
        cells = [
            f"{result.cell.num_envs}",
            f"{result.cell.batch_size}",
            f"{result.median * 1e6:,.2f}",
            f"{result.steps_per_second:,.0f}",
            f"{result.spread:.0%}",
        ]
        if asynchronous:
            cells += [
                f"{result.busy:.0%}",
                f"{result.stats.recv_share:.0%}",
                f"{result.stats.batch_age * 1e6:,.2f}",
            ]
        table.add_row(*cells)
    return table


def _provenance() -> str:
    return f"envpool {envpool.__version__}; {processor()}, {usable_cores()} cores"
