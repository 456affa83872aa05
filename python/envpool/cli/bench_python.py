"""``python -m envpool bench --python``: a Python environment here and in Gymnasium."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import cycle
from typing import Any

import gymnasium
from rich.console import Console
from rich.table import Table

from envpool.cli.measure import ROUNDS, calls_within, time_calls
from envpool.cli.output import errors_as_messages, make_progress, make_table
from envpool.vector import AsyncVectorEnv, SyncVectorEnv
from envpool.workers.factories import make_factories
from envpool.workers.options import cores

_ACTION_BATCHES = 8
_SEVERAL = 8  # workers, for environments that wait
_THEIRS = "gymnasium's AsyncVectorEnv"  # what others are compared with

Maker = Callable[[], Any]


def bench_python(console: Console, source: str, num_envs: Sequence[int], seconds: float) -> None:
    """Measure an environment of Gymnasium's registry, run by each of those that can.

    Args:
        console: Where to print.
        source: The environment's id, or ``module:id``.
        num_envs: Numbers of environments.
        seconds: How long to measure each number, for each of those.
    """
    console.print(f"{source}: step() with random actions\n")
    for count in num_envs:
        with errors_as_messages():
            makers = _makers(source, count)
            console.print(_table(count, _measure(makers, count, seconds)))
        console.print()
    console.print(
        f"median of {ROUNDS} rounds, in which all took turns; ratio: to {_THEIRS}", style="dim"
    )


def _makers(source: str, count: int) -> dict[str, Maker]:
    """Those who can run so many environments, by the names that the table has for them."""
    factories = make_factories(source, count)
    workers = sorted({1, min(cores(), count), min(_SEVERAL, count)})
    ours = {
        f"AsyncVectorEnv, num_workers={n}": lambda n=n: AsyncVectorEnv(
            factories, shared_memory=False, num_workers=n
        )
        for n in workers
    }
    return {
        "SyncVectorEnv": lambda: SyncVectorEnv(factories),
        **ours,
        "gymnasium's SyncVectorEnv": lambda: gymnasium.vector.SyncVectorEnv(factories),
        _THEIRS: lambda: gymnasium.vector.AsyncVectorEnv(factories),
    }


def _measure(makers: dict[str, Maker], count: int, seconds: float) -> dict[str, float]:
    """The median of the seconds that a step of each takes."""
    rounds: dict[str, list[float]] = {name: [] for name in makers}
    with ExitStack() as stack, make_progress() as progress:
        bar = progress.add_task(f"{count} environments", total=len(makers) * (ROUNDS + 1))
        running: dict[str, tuple[Any, Iterator[Any], int]] = {}
        for name, make in makers.items():
            envs = stack.enter_context(closing(make()))
            envs.reset(seed=0)
            envs.action_space.seed(0)
            actions: Iterator[Any] = cycle(
                [envs.action_space.sample() for _ in range(_ACTION_BATCHES)]
            )
            running[name] = envs, actions, calls_within(envs.step, actions, seconds / ROUNDS)
            progress.update(bar, advance=1, refresh=True)
        for _ in range(ROUNDS):
            for name, (envs, actions, calls) in running.items():
                rounds[name].append(time_calls(envs.step, actions, calls) / calls)
                progress.update(bar, advance=1, refresh=True)
    return {name: statistics.median(each) for name, each in rounds.items()}


def _table(count: int, medians: dict[str, float]) -> Table:
    table = make_table()
    table.add_column(f"{count} environments", no_wrap=True)
    for column in ("µs per call", "steps/s", "ratio"):
        table.add_column(column, justify="right")
    quickest = min(medians.values())
    for name, median in medians.items():
        table.add_row(
            name,
            f"{median * 1e6:,.1f}",
            f"{count / median:,.0f}",
            f"{medians[_THEIRS] / median:.2f}x",
            style="bold" if median == quickest else None,
        )
    return table
