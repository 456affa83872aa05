"""``python -m envpool bench``: how long steps take, with random actions."""

from __future__ import annotations

import functools
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
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv
from rich.table import Table

import envpool
from envpool import vector
from envpool.cli.console import (
    OptionArguments,
    TaskArgument,
    errors_as_messages,
    finite,
    make_console,
    make_progress,
    make_table,
    number_column,
    parse_options,
)
from envpool.films.policies import Allowing, of_players, random_action
from envpool.flavours.stats import PoolStats
from envpool.machine import cores, processor, usable_cores
from envpool.spec import masks
from envpool.workers.factories import Factory, make_factories

# Options that have an argument of their own here.
_ARGUMENTS = {"num_envs": "--num-envs", "batch_size": "--async", "num_threads": "--num-threads"}
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


@dataclass
class Timing:
    """The seconds that a call took in each round."""

    rounds: list[float]

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rounds)

    @property
    def spread(self) -> float:
        """The rounds' range, relative to their median."""
        return (max(self.rounds) - min(self.rounds)) / self.median


@dataclass
class Result(Timing):
    """A pool's rounds, in which a call steps a batch, and what the pool says of all of them."""

    num_envs: int
    batch_size: int
    stats: PoolStats

    @property
    def busy(self) -> float:
        """The part of the workers' time in which they ran environments."""
        workers = self.stats.worker_busy  # none where the calling thread does everything
        return sum(workers) / (len(workers) * self.stats.elapsed) if workers else 0.0


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
    if python:
        with errors_as_messages():
            for name, value in (("--async", asynchronous), ("--num-threads", num_threads)):
                if value:
                    raise ValueError(f"{name} is given with --python, which compares steps of all")
            options = parse_options(option)
            bench_environment(task, num_envs or NUM_PYTHON_ENVS, seconds, options)
        make_console().print(_provenance(), style="dim")
        return
    with errors_as_messages():
        options = parse_options(option, _ARGUMENTS)
        envpool.make_spec(task, **options)
    make = partial(envpool.make_gymnasium, task, num_threads=num_threads, **options)
    results = _measure_all(make, num_envs or _NUM_ENVS, seconds, asynchronous)
    calls = "recv() and send()" if asynchronous else "step()"
    threads = f"num_threads={num_threads}" if num_threads else "the default number of threads"
    console = make_console()
    console.print(f"{task}: {calls} with random actions, {threads}\n")
    console.print(_table(results, asynchronous))
    console.print(f"\nmedian of {ROUNDS} rounds; spread: (max - min) / median", style="dim")
    if asynchronous:
        console.print(_WHAT_ASYNC_COLUMNS_MEAN, style="dim")
    console.print(_provenance(), style="dim")


def _measure_all(
    make: Callable[..., envpool.GymnasiumEnvPool],
    num_envs: Sequence[int],
    seconds: float,
    asynchronous: bool,
) -> list[Result]:
    results = []
    with make_progress() as progress, errors_as_messages():
        bar = progress.add_task("", total=len(num_envs) * ROUNDS)
        for n in num_envs:
            progress.update(bar, description=f"{n} environments", refresh=True)
            batch_size = max(1, n // 4) if asynchronous else n
            rounds = []
            with make(num_envs=n, batch_size=batch_size) as pool:
                for elapsed in seconds_per_call(pool, seconds, asynchronous):
                    rounds.append(elapsed)
                    progress.update(bar, advance=1, refresh=True)
                results.append(Result(rounds, n, batch_size, pool.stats()))
    return results


def _table(results: Iterable[Result], asynchronous: bool) -> Table:
    columns = ["num_envs", "batch_size", "µs per call", "steps/s", "spread"]
    if asynchronous:
        columns += ["workers busy", "recv waits", "batch age, µs"]
    table = make_table(*map(number_column, columns))
    for result in results:
        cells = [
            f"{result.num_envs}",
            f"{result.batch_size}",
            f"{result.median * 1e6:,.2f}",
            f"{result.batch_size / result.median:,.0f}",
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


@dataclass(kw_only=True)
class Contender(Timing):
    """A way to run environments, and what a step of all of them took."""

    name: str
    make: Callable[[Sequence[Factory]], VectorEnv[Any, Any, Any]]
    num_processes: int
    rounds: list[float] = field(default_factory=list)


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
    contenders = [
        Contender(name=_GYMNASIUM[0], make=SyncVectorEnv, num_processes=0),
        Contender(name=_GYMNASIUM[1], make=AsyncVectorEnv, num_processes=num_envs),
    ]
    options: list[dict[str, Any]] = [{"num_workers": n} for n in _worker_counts(num_envs)]
    options.append({"num_workers": min(num_envs, cores()), "worker_threads": _THREADS})
    for own in options:
        name = ", ".join(f"{option}={value}" for option, value in own.items())
        make = partial(vector.AsyncVectorEnv, **own)
        contenders.append(Contender(name=name, make=make, num_processes=own["num_workers"]))
    return contenders


def _worker_counts(num_envs: int) -> list[int]:
    """0, 1, 2, 4, ... up to twice the cores: more helps only what waits."""
    most = min(num_envs, 2 * cores())
    return [0, *(2**power for power in range(most.bit_length()))]


def _measure(contenders: Sequence[Contender], factories: Sequence[Factory], seconds: float) -> None:
    """Fill in the rounds, in which all take turns, so that a slow moment hits all of them."""
    with ExitStack() as stack, make_progress() as progress:
        bar = progress.add_task("", total=len(contenders) * ROUNDS)
        running = []
        for contender in contenders:
            env = stack.enter_context(_closing(contender.make(factories)))
            running.append((contender, seconds_per_step(env, seconds)))
        for _ in range(ROUNDS):
            for contender, rounds in running:
                progress.update(bar, advance=1, description=contender.name, refresh=True)
                contender.rounds.append(next(rounds))


@contextmanager
def _closing(env: VectorEnv[Any, Any, Any]) -> Iterator[VectorEnv[Any, Any, Any]]:
    """Close it at the end; after Ctrl-C, which ends Gymnasium's workers, as far as it goes."""
    try:
        yield env
    except KeyboardInterrupt:
        with suppress(Exception):
            env.close()
        raise
    env.close()


def _print_table(contenders: Sequence[Contender], num_envs: int) -> None:
    columns = ("processes", "µs per call", "steps/s", "spread")
    table = make_table("", *map(number_column, columns))
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


class Chooser:
    """Replaces random actions that are masked.

    Args:
        allowing: Does so; it gets a batch of actions, the last observations and infos, and whose
            episodes have ended with them.

    Attributes:
        seconds: The time that this took so far, which is not the environments'.
    """

    def __init__(self, allowing: Callable[..., Any]) -> None:
        self.seconds = 0.0
        self._allowing = allowing

    def allowed(self, *arguments: Any) -> Any:
        """The actions to take."""
        start = time.perf_counter()
        chosen = self._allowing(*arguments)
        self.seconds += time.perf_counter() - start
        return chosen


def seconds_per_call(
    pool: envpool.GymnasiumEnvPool, seconds: float, asynchronous: bool
) -> Iterator[float]:
    """Measure the seconds per call :data:`ROUNDS` times, in about ``seconds`` altogether.

    A call is a ``step()``, or if ``asynchronous`` a ``recv()`` and a ``send()``.
    """
    random = np.random.default_rng(0)
    rows = pool.config["batch_size"]
    batches = [random_action(pool.spec, rows, random) for _ in range(_ACTION_BATCHES)]
    actions = itertools.cycle(batches)
    fields = pool.spec.spaces.action_fields
    chooser = Chooser(functools.partial(masks.allowed, fields, random=random))
    call = (_start_async if asynchronous else _start_sync)(pool, chooser)
    calls = _calls_within(call, actions, seconds / ROUNDS, chooser)
    pool.stats(reset=True)  # without the warming up
    for _ in range(ROUNDS):
        yield _time(call, actions, calls, chooser) / calls


def seconds_per_step(env: VectorEnv[Any, Any, Any], seconds: float) -> Iterator[float]:
    """The same for steps of a vector environment with Gymnasium's methods."""
    env.action_space.seed(0)
    actions = itertools.cycle([env.action_space.sample() for _ in range(_ACTION_BATCHES)])
    chooser = Chooser(Allowing(env.single_action_space, env.num_envs, 0))
    call = _start_vector(env, chooser)
    calls = _calls_within(call, actions, seconds / ROUNDS, chooser)
    for _ in range(ROUNDS):
        yield _time(call, actions, calls, chooser) / calls


def _start_sync(pool: envpool.GymnasiumEnvPool, chooser: Chooser) -> Callable[[Any], object]:
    observation, info = pool.reset()
    over = np.zeros(pool.num_envs, bool)
    has_masks = masks.find(observation, info) is not None
    if pool.spec.spaces.most_players == 1 and not has_masks:
        return pool.step

    def step(action: Any) -> None:
        nonlocal observation, info, over
        if pool.spec.spaces.most_players > 1:
            action = of_players(pool.spec, action, info)
        if has_masks:
            action = chooser.allowed(action, observation, info, over)
        observation, _, terminated, truncated, info = pool.step(action)
        over = terminated | truncated if has_masks else over

    return step


def _start_async(pool: envpool.GymnasiumEnvPool, chooser: Chooser) -> Callable[[Any], object]:
    pool.async_reset()
    has_masks: bool | None = None  # until the first results tell

    def receive_and_send(action: Any) -> None:
        nonlocal has_masks
        observation, _, terminated, truncated, info = pool.recv()
        if pool.spec.spaces.most_players > 1:
            action = of_players(pool.spec, action, info)
        if has_masks is None:
            has_masks = masks.find(observation, info) is not None
        if has_masks:
            action = chooser.allowed(action, observation, info, terminated | truncated)
        pool.send(action, info["env_id"])

    return receive_and_send


def _start_vector(env: VectorEnv[Any, Any, Any], chooser: Chooser) -> Callable[[Any], object]:
    observation, info = env.reset(seed=0)
    if masks.find(observation, info) is None:
        return env.step
    over = np.zeros(env.num_envs, bool)

    def step(action: Any) -> None:
        nonlocal observation, info, over
        chosen = chooser.allowed(action, observation, info, over)
        observation, _, terminated, truncated, info = env.step(chosen)
        over = terminated | truncated

    return step


def _calls_within(
    call: Callable[[Any], object], actions: Iterator[Any], seconds: float, chooser: Chooser
) -> int:
    """Find how many calls take about ``seconds``, which also warms the pool up."""
    calls = 1
    while (elapsed := _time(call, actions, calls, chooser)) < seconds / 4:
        calls *= 2
    return max(1, round(calls * seconds / elapsed))


def _time(
    call: Callable[[Any], object], actions: Iterator[Any], calls: int, chooser: Chooser
) -> float:
    """Take the time of so many calls, without that of choosing among allowed actions."""
    chosen, start = chooser.seconds, time.perf_counter()
    for action in itertools.islice(actions, calls):
        call(action)
    return time.perf_counter() - start - (chooser.seconds - chosen)
