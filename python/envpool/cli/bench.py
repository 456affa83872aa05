"""``python -m envpool bench``: how long steps take, with random actions."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import gymnasium
import numpy as np
import typer
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import envpool
from envpool import vector
from envpool.cli.console import (
    OptionArguments,
    TaskArgument,
    finite,
    make_console,
    make_progress,
    make_table,
    number_column,
    parse_options,
)
from envpool.films.policies import random_policy_of
from envpool.machine import cores, processor, usable_cores
from envpool.spec import masks
from envpool.stats import PoolStats
from envpool.workers.factories import make_factories

# Options that have an argument of their own here.
_ARGUMENTS = {"num_envs": "--num-envs", "batch_size": "--async", "num_threads": "--num-threads"}
_COLUMNS = ("µs per call", "steps/s", "spread")
_ASYNC_COLUMNS = ("workers busy", "recv waits", "batch age, µs")
_NUM_ENVS = [1, 8, 64, 512, 1024]
_WHAT_ASYNC_COLUMNS_MEAN = (
    "parts of the time in which workers ran environments and recv() waited; "
    "batch age: mean time from a batch's completion to its recv()"
)
NUM_PYTHON_ENVS = [8, 64]
_GYMNASIUM = ("Gymnasium's SyncVectorEnv", "Gymnasium's AsyncVectorEnv")
_THREADS = 8  # what waits outside of Python's lock shows it by being quicker with them
_AS_QUICK = 1.05  # differences below it may be noise: then fewer processes are better
ROUNDS = 5
_ACTION_BATCHES = 8


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


@dataclass(kw_only=True)
class Contender:
    """A way to run environments, and the seconds that a call took in each round."""

    name: str = ""
    make: Callable[[], Any]
    size: int = 1  # environments that a call steps
    num_processes: int = 0
    rounds: list[float] = field(default_factory=list)
    stats: PoolStats | None = None  # of an asynchronous pool

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rounds)

    @property
    def cells(self) -> list[str]:
        """The cells of the columns; a spread is the rounds' range, relative to the median."""
        spread = (max(self.rounds) - min(self.rounds)) / self.median
        cells = [f"{self.median * 1e6:,.2f}", f"{self.size / self.median:,.0f}", f"{spread:.0%}"]
        if self.stats:
            workers = self.stats.worker_busy  # none where the calling thread does everything
            busy = sum(workers) / (len(workers) * self.stats.elapsed) if workers else 0.0
            age = f"{self.stats.batch_age * 1e6:,.2f}"
            cells += [f"{busy:.0%}", f"{self.stats.recv_share:.0%}", age]
        return cells


def bench_task(
    task: TaskArgument,
    *,
    python: Annotated[
        bool,
        typer.Option(
            "--python",
            # No second colon: Rich takes ":Id:" for a picture.
            help="The task is an environment written in Python, an id of Gymnasium's registry or "
            "Module:Id. Compare Gymnasium's vector environments with ours, and find the best "
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
    console = make_console()
    if python:
        for name, value in (("--async", asynchronous), ("--num-threads", num_threads)):
            if value:
                raise ValueError(f"{name} is given with --python, which compares steps of all")
        _bench_python(task, num_envs or NUM_PYTHON_ENVS, seconds, parse_options(option))
        rounds = f"{ROUNDS} rounds in alternation"
    else:
        options = parse_options(option, _ARGUMENTS) | {"num_threads": num_threads}
        _bench_pools(task, num_envs or _NUM_ENVS, seconds, asynchronous, options)
        rounds = f"{ROUNDS} rounds"
    console.print(f"median of {rounds}; spread: (max - min) / median", style="dim")
    if asynchronous:
        console.print(_WHAT_ASYNC_COLUMNS_MEAN, style="dim")
    console.print(
        f"envpool {envpool.__version__}; {processor()}, {usable_cores()} cores", style="dim"
    )


def _bench_pools(
    task: str, num_envs: Sequence[int], seconds: float, asynchronous: bool, options: dict[str, Any]
) -> None:
    """Print how fast pools of a task are."""
    envpool.make_spec(task, **options)
    names = ("num_envs", "batch_size", *_COLUMNS, *(_ASYNC_COLUMNS if asynchronous else ()))
    table = make_table(*map(number_column, names))
    for n in num_envs:
        size = max(1, n // 4) if asynchronous else n
        make = partial(envpool.make_gymnasium, task, num_envs=n, batch_size=size, **options)
        contender = Contender(name=f"{n} environments", make=make, size=size)
        _measure([contender], seconds, asynchronous)
        table.add_row(str(n), str(size), *contender.cells)
    calls = "recv() and send()" if asynchronous else "step()"
    given = options["num_threads"]
    threads = f"num_threads={given}" if given else "the default number of threads"
    console = make_console()
    console.print(f"{task}: {calls} with random actions, {threads}\n")
    console.print(table)
    console.print()


def _bench_python(
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
        all_factories = [make_factories(source, n, options) for n in num_envs]
    except gymnasium.error.Error as error:
        raise ValueError(str(error)) from error
    console = make_console()
    for factories in all_factories:
        contenders = _contenders(factories)
        _measure(contenders, seconds)
        console.print(f"{source}: step() of {len(factories)} environments with random actions\n")
        table = make_table("", number_column("processes"), *map(number_column, _COLUMNS))
        for each in contenders:
            table.add_row(each.name, str(each.num_processes), *each.cells)
        console.print(table)
        console.print(f"\n{_verdict(contenders)}\n")


def _contenders(factories: Sequence[Any]) -> list[Contender]:
    num_envs = len(factories)
    makers: list[tuple[str, Callable[..., Any], int]] = [
        (_GYMNASIUM[0], SyncVectorEnv, 0),
        (_GYMNASIUM[1], AsyncVectorEnv, num_envs),
    ]
    options: list[dict[str, Any]] = [{"num_workers": n} for n in _worker_counts(num_envs)]
    options.append({"num_workers": min(num_envs, cores()), "worker_threads": _THREADS})
    for own in options:
        name = ", ".join(f"{option}={value}" for option, value in own.items())
        makers.append((name, partial(vector.AsyncVectorEnv, **own), own["num_workers"]))
    return [
        Contender(name=name, make=partial(make, factories), size=num_envs, num_processes=count)
        for name, make, count in makers
    ]


def _worker_counts(num_envs: int) -> list[int]:
    """0, 1, 2, 4, ... up to twice the cores: more helps only what waits."""
    most = min(num_envs, 2 * cores())
    return [0, *(2**power for power in range(most.bit_length()))]


def _measure(contenders: Sequence[Contender], seconds: float, asynchronous: bool = False) -> None:
    """Fill in the rounds, in which all take turns, so that a slow moment hits all of them."""
    with ExitStack() as stack, make_progress() as progress:
        bar = progress.add_task("", total=len(contenders) * ROUNDS)
        running = []
        for contender in contenders:
            env = stack.enter_context(_closing(contender.make()))
            running.append((contender, env, seconds_per_call(env, seconds, asynchronous)))
        for _ in range(ROUNDS):
            for contender, _, rounds in running:
                progress.update(bar, advance=1, description=contender.name, refresh=True)
                contender.rounds.append(next(rounds))
        for contender, env, _ in running if asynchronous else ():
            contender.stats = env.stats()


@contextmanager
def _closing(env: Any) -> Iterator[Any]:
    """Close it at the end; after Ctrl-C, which ends Gymnasium's workers, as far as it goes."""
    try:
        yield env
    except KeyboardInterrupt:
        with suppress(Exception):
            env.close()
        raise
    env.close()


def _verdict(contenders: Sequence[Contender]) -> str:
    """Say which of ours is the quickest, with as few processes as that takes."""
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


def seconds_per_call(env: Any, seconds: float, asynchronous: bool = False) -> Iterator[float]:
    """Measure the seconds per call :data:`ROUNDS` times, after some calls that warm everything up.

    Args:
        env: A pool of Gymnasium's API, or a vector environment.
        seconds: How long all rounds take, about.
        asynchronous: A call is a ``send()`` and a ``recv()`` instead of a ``step()``.

    """
    player = _Player(env, asynchronous)
    calls = 1
    while (elapsed := player.seconds_of(calls)) < seconds / ROUNDS / 4:
        calls *= 2
    calls = max(1, round(calls * seconds / ROUNDS / elapsed))
    if asynchronous:
        env.stats(reset=True)
    for _ in range(ROUNDS):
        yield player.seconds_of(calls) / calls


class _Player:
    """Plays at random, and measures how long the calls take.

    Actions are made beforehand. Where masks or the number of players decide which can be taken,
    they are made between the calls, in time that does not count.
    """

    def __init__(self, env: Any, asynchronous: bool) -> None:
        self._env = env
        self._act = random_policy_of(env, 0)
        if asynchronous:
            env.async_reset()
            self._call = self._send_and_receive
            observation, _, terminated, truncated, info = env.recv()
            self._seen = observation, info, terminated | truncated
        else:
            self._call = env.step
            observation, info = env.reset(seed=0)
            self._seen = observation, info, np.zeros(env.num_envs, bool)
        self._env_ids = info.get("env_id")
        spec = getattr(env, "spec", None)
        has_players = isinstance(spec, envpool.EnvSpec) and spec.spaces.most_players > 1
        self._is_free = not has_players and masks.find(observation, info) is None
        batches = [self._act(*self._seen) for _ in range(_ACTION_BATCHES * self._is_free)]
        self._batches = itertools.cycle(batches)

    def _send_and_receive(self, action: Any) -> Any:
        self._env.send(action, self._env_ids)
        results = self._env.recv()
        self._env_ids = results[-1]["env_id"]
        return results

    def seconds_of(self, calls: int) -> float:
        """The time that this many calls take."""
        if self._is_free:
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
