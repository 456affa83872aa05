"""``python -m envpool bench``: how long steps take, with random actions."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np
import typer

import envpool
from envpool.cli.arguments import OptionArguments, TaskArgument, parse_options
from envpool.cli.console import make_console, make_table, number_column, track
from envpool.films.policies import random_policy
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.machine import cores, processor, usable_cores
from envpool.spec import masks

_COLUMNS = ("µs per call", "steps/s", "spread")
_NUM_ENVS = (1, 8, 64, 512, 1024)
_NUM_PYTHON_ENVS = (8, 64)
ROUNDS = 5
_ACTION_BATCHES = 8


def bench_task(
    task: TaskArgument,
    *,
    num_envs: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            help="How many environments; repeatable.",
            show_default="1, 8, 64, 512, 1024; of environments written in Python 8, 64",
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=0.01, max=3600, help="How long to measure each pool.")
    ] = 0.5,
    asynchronous: Annotated[
        bool,
        typer.Option("--async", help="Call recv() and send(), with num_envs / 4 as batch_size."),
    ] = False,
    option: OptionArguments = None,
) -> None:
    """Measure how fast a task steps with random actions.

    Environments written in Python run in different numbers of workers, unless one is given.
    """
    options = parse_options(option)
    is_python = isinstance(envpool.make_spec(task, **options), PythonEnvSpec)
    pools = [
        {"num_envs": n, "batch_size": max(1, n // 4) if asynchronous else n} | workers
        for n in num_envs or (_NUM_PYTHON_ENVS if is_python else _NUM_ENVS)
        for workers in (worker_counts(n) if is_python and "num_workers" not in options else [{}])
    ]
    table = make_table(*map(number_column, (*pools[0], *_COLUMNS)))
    for own in track(pools, "pools"):
        with envpool.make_gymnasium(task, **options, **own) as pool:
            rounds = list(seconds_per_call(pool, seconds, asynchronous))
        table.add_row(*map(str, own.values()), *_cells(rounds, own["batch_size"]))
    calls = "recv() and send()" if asynchronous else "step()"
    console = make_console()
    console.print(f"{task}: {calls} with random actions\n")
    console.print(table)
    console.print(f"\nmedian of {ROUNDS} rounds; spread: (max - min) / median", style="dim")
    provenance = f"envpool {envpool.__version__}; {processor()}, {usable_cores()} cores"
    console.print(provenance, style="dim")


def worker_counts(num_envs: int) -> list[dict[str, int]]:
    """0, 1, 2, 4, ... workers up to twice the cores: more helps only what waits."""
    most = min(num_envs, 2 * cores())
    return [{"num_workers": n} for n in (0, *(2**power for power in range(most.bit_length())))]


def _cells(rounds: Sequence[float], size: int) -> tuple[str, ...]:
    """The cells of :data:`_COLUMNS`; a spread is the rounds' range, relative to the median."""
    median = statistics.median(rounds)
    spread = (max(rounds) - min(rounds)) / median
    return f"{median * 1e6:,.2f}", f"{size / median:,.0f}", f"{spread:.0%}"


def seconds_per_call(
    pool: envpool.GymnasiumEnvPool, seconds: float, asynchronous: bool = False
) -> Iterator[float]:
    """Measure the seconds per call :data:`ROUNDS` times, after some calls that warm everything up.

    Args:
        pool: The pool.
        seconds: How long all rounds take, about.
        asynchronous: A call is a ``send()`` and a ``recv()`` instead of a ``step()``.

    """
    player = _Player(pool, asynchronous)
    calls = 1
    while (elapsed := player.seconds_of(calls)) < seconds / ROUNDS / 4:
        calls *= 2
    calls = max(1, round(calls * seconds / ROUNDS / elapsed))
    for _ in range(ROUNDS):
        yield player.seconds_of(calls) / calls


class _Player:
    """Plays at random, and measures how long the calls take.

    Actions are made beforehand. Where masks or the number of players decide which can be taken,
    they are made between the calls, in time that does not count.
    """

    def __init__(self, pool: envpool.GymnasiumEnvPool, asynchronous: bool) -> None:
        self._pool, self._act = pool, random_policy(pool.spec, 0)
        if asynchronous:
            pool.async_reset()
            observation, _, terminated, truncated, info = pool.recv()
            self._seen: Any = observation, info, terminated | truncated
        else:
            observation, info = pool.reset()
            self._seen = observation, info, np.zeros(pool.num_envs, bool)
        self._call: Any = self._send_and_receive if asynchronous else pool.step
        self._env_ids = info["env_id"]
        is_free = pool.spec.spaces.most_players == 1 and masks.find(observation, info) is None
        batches = [self._act(*self._seen) for _ in range(_ACTION_BATCHES * is_free)]
        self._batches = itertools.cycle(batches) if is_free else None

    def _send_and_receive(self, action: Any) -> Any:
        self._pool.send(action, self._env_ids)
        results = self._pool.recv()
        self._env_ids = results[-1]["env_id"]
        return results

    def seconds_of(self, calls: int) -> float:
        """The time that this many calls take."""
        if self._batches is not None:
            start = time.perf_counter()
            for action in itertools.islice(self._batches, calls):
                self._call(action)
            return time.perf_counter() - start
        elapsed = 0.0
        for _ in range(calls):
            action = self._act(*self._seen)
            start = time.perf_counter()
            observation, _, terminated, truncated, info = self._call(action)
            elapsed += time.perf_counter() - start
            self._seen = observation, info, terminated | truncated
        return elapsed
