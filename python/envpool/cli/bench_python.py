"""``python -m envpool bench --python``: which vector environment suits an environment."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import gymnasium
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from envpool import vector
from envpool.cli.measure import ROUNDS, seconds_per_step
from envpool.cli.output import make_console, make_progress, make_table
from envpool.machine import cores
from envpool.workers.factories import Factory, make_factories

NUM_PYTHON_ENVS = [8, 64]
_GYMNASIUM = ("Gymnasium's SyncVectorEnv", "Gymnasium's AsyncVectorEnv")
_THREADS = 8  # what waits outside of Python's lock shows it by being quicker with them
_AS_QUICK = 1.05  # differences below it may be noise: then fewer processes are better


@dataclass(frozen=True)
class Contender:
    """A way to run environments, and the seconds that a step of all of them took in each round."""

    name: str
    make: Callable[[Sequence[Factory]], VectorEnv[Any, Any, Any]]
    num_processes: int
    rounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """How far the rounds lie apart, relative to their median."""
        return (max(self.rounds) - min(self.rounds)) / self.median


def bench_environment(
    source: str, num_envs: Sequence[int], seconds: float, options: dict[str, Any]
) -> None:
    """Print how fast Gymnasium's vector environments and ours step an environment.

    Args:
        source: The environment's id, with ``"Module:"`` in front if that registers it.
        num_envs: How many of them.
        seconds: How long to measure each contender.
        options: What the environment is made with.

    Raises:
        ValueError: There is no such id.

    """
    try:
        tables = [(n, make_factories(source, n, options)) for n in num_envs]
    except gymnasium.error.Error as error:
        raise ValueError(str(error)) from error
    console = make_console()
    for n, factories in tables:
        contenders = _contenders(n)
        _measure(contenders, factories, seconds)
        console.print(f"{source}: step() of {n} environments with random actions\n")
        _print_table(contenders, n)
        console.print(f"\n{_verdict(contenders)}\n")
    console.print(
        f"median of {ROUNDS} rounds in alternation; spread: (max - min) / median", style="dim"
    )


def _contenders(num_envs: int) -> list[Contender]:
    theirs = [
        Contender(_GYMNASIUM[0], SyncVectorEnv, 0),
        Contender(_GYMNASIUM[1], AsyncVectorEnv, num_envs),
    ]
    ours = [
        Contender(f"num_workers={n}", partial(_make_ours, num_workers=n, worker_threads=1), n)
        for n in _worker_counts(num_envs)
    ]
    n = min(num_envs, cores())
    in_threads = Contender(
        f"num_workers={n}, worker_threads={_THREADS}",
        partial(_make_ours, num_workers=n, worker_threads=_THREADS),
        n,
    )
    return [*theirs, *ours, in_threads]


def _worker_counts(num_envs: int) -> Iterator[int]:
    """0, 1, 2, 4, ... up to twice the cores: more helps only what waits."""
    yield 0
    count = 1
    while count <= min(num_envs, 2 * cores()):
        yield count
        count *= 2


def _make_ours(
    factories: Sequence[Factory], num_workers: int, worker_threads: int
) -> VectorEnv[Any, Any, Any]:
    return vector.AsyncVectorEnv(factories, num_workers=num_workers, worker_threads=worker_threads)


def _measure(contenders: Sequence[Contender], factories: Sequence[Factory], seconds: float) -> None:
    """Fill in the rounds, in which all take turns, so that a slow moment hits all of them."""
    with ExitStack() as stack, make_progress() as progress:
        bar = progress.add_task("", total=len(contenders) * ROUNDS)
        running = []
        for contender in contenders:
            env = stack.enter_context(closing(contender.make(factories)))
            running.append((contender, seconds_per_step(env, seconds)))
        for _ in range(ROUNDS):
            for contender, rounds in running:
                progress.update(bar, advance=1, description=contender.name, refresh=True)
                contender.rounds.append(next(rounds))


def _print_table(contenders: Sequence[Contender], num_envs: int) -> None:
    table = make_table()
    table.add_column("")
    for column in ("processes", "µs per call", "steps/s", "spread"):
        table.add_column(column, justify="right")
    for contender in contenders:
        table.add_row(
            contender.name,
            f"{contender.num_processes}",
            f"{contender.median * 1e6:,.1f}",
            f"{num_envs / contender.median:,.0f}",
            f"{contender.spread:.0%}",
        )
    make_console().print(table)


def _verdict(contenders: Sequence[Contender]) -> str:
    """Which of ours is the quickest, with as few processes as that takes."""
    *theirs, asynchronous = contenders[: len(_GYMNASIUM)]
    ours = contenders[len(_GYMNASIUM) :]
    fastest = min(contender.median for contender in ours)
    best = min(
        (contender for contender in ours if contender.median <= fastest * _AS_QUICK),
        key=lambda contender: contender.num_processes,
    )
    ratios = " and ".join(
        f"{other.median / best.median:.2g} times as fast as {other.name}"
        for other in (asynchronous, *theirs)
    )
    return f"quickest: {best.name}, {ratios}"
