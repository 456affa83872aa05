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
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv
from rich.table import Table

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
from envpool.films.policies import Allowing, of_players, random_action
from envpool.machine import cores, processor, usable_cores
from envpool.spec import masks
from envpool.stats import PoolStats
from envpool.workers.factories import Factory, make_factories

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
    make: Callable[..., Any]
    size: int = 1  # environments that a call steps
    num_processes: int = 0
    rounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rounds)

    @property
    def cells(self) -> list[str]:
        """The cells of :data:`_COLUMNS`; a spread is the rounds' range, relative to the median."""
        spread = (max(self.rounds) - min(self.rounds)) / self.median
        return [f"{self.median * 1e6:,.2f}", f"{self.size / self.median:,.0f}", f"{spread:.0%}"]


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
        for name, value in (("--async", asynchronous), ("--num-threads", num_threads)):
            if value:
                raise ValueError(f"{name} is given with --python, which compares steps of all")
        options = parse_options(option)
        bench_environment(task, num_envs or NUM_PYTHON_ENVS, seconds, options)
        make_console().print(_provenance(), style="dim")
        return
    options = parse_options(option, _ARGUMENTS)
    envpool.make_spec(task, **options)
    make = partial(envpool.make_gymnasium, task, num_threads=num_threads, **options)
    table = _measure_all(make, num_envs or _NUM_ENVS, seconds, asynchronous)
    calls = "recv() and send()" if asynchronous else "step()"
    threads = f"num_threads={num_threads}" if num_threads else "the default number of threads"
    console = make_console()
    console.print(f"{task}: {calls} with random actions, {threads}\n")
    console.print(table)
    console.print(f"\nmedian of {ROUNDS} rounds; spread: (max - min) / median", style="dim")
    if asynchronous:
        console.print(_WHAT_ASYNC_COLUMNS_MEAN, style="dim")
    console.print(_provenance(), style="dim")


def _measure_all(
    make: Callable[..., envpool.GymnasiumEnvPool],
    num_envs: Sequence[int],
    seconds: float,
    asynchronous: bool,
) -> Table:
    names = ("num_envs", "batch_size", *_COLUMNS, *(_ASYNC_COLUMNS if asynchronous else ()))
    table = make_table(*map(number_column, names))
    with make_progress() as progress:
        bar = progress.add_task("", total=len(num_envs) * ROUNDS)
        for n in num_envs:
            progress.update(bar, description=f"{n} environments", refresh=True)
            result = Contender(make=make, size=max(1, n // 4) if asynchronous else n)
            with make(num_envs=n, batch_size=result.size) as pool:
                for elapsed in seconds_per_call(pool, seconds, asynchronous):
                    result.rounds.append(elapsed)
                    progress.update(bar, advance=1, refresh=True)
                more = _of_stats(pool.stats()) if asynchronous else ()
            table.add_row(str(n), str(result.size), *result.cells, *more)
    return table


def _of_stats(stats: PoolStats) -> tuple[str, ...]:
    """The cells of :data:`_ASYNC_COLUMNS`."""
    workers = stats.worker_busy  # none where the calling thread does everything
    busy = sum(workers) / (len(workers) * stats.elapsed) if workers else 0.0
    return f"{busy:.0%}", f"{stats.recv_share:.0%}", f"{stats.batch_age * 1e6:,.2f}"


def _provenance() -> str:
    return f"envpool {envpool.__version__}; {processor()}, {usable_cores()} cores"


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
        table = make_table("", number_column("processes"), *map(number_column, _COLUMNS))
        for each in contenders:
            table.add_row(each.name, str(each.num_processes), *each.cells)
        console.print(table)
        console.print(f"\n{_verdict(contenders)}\n")
    console.print(
        f"median of {ROUNDS} rounds in alternation; spread: (max - min) / median", style="dim"
    )


def _contenders(num_envs: int) -> list[Contender]:
    options: list[dict[str, Any]] = [{"num_workers": n} for n in _worker_counts(num_envs)]
    options.append({"num_workers": min(num_envs, cores()), "worker_threads": _THREADS})
    makers: list[tuple[str, Callable[..., Any], int]] = [
        (_GYMNASIUM[0], SyncVectorEnv, 0),
        (_GYMNASIUM[1], AsyncVectorEnv, num_envs),
    ]
    for own in options:
        name = ", ".join(f"{option}={value}" for option, value in own.items())
        makers.append((name, partial(vector.AsyncVectorEnv, **own), own["num_workers"]))
    return [
        Contender(name=name, make=make, size=num_envs, num_processes=count)
        for name, make, count in makers
    ]


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
    """Replaces random actions that are masked, if the first observation or info has a mask.

    Args:
        allowing: Does so; it gets a batch of actions, the last observations and infos, and whose
            episodes have ended with them.
        cut: Cuts a batch of actions to the players that the last infos have.

    Attributes:
        seconds: The time that this took so far, which is not the environments'.
    """

    def __init__(
        self, allowing: Callable[..., Any], cut: Callable[[Any, Any], Any] | None = None
    ) -> None:
        self.seconds = 0.0
        self._allowing, self._cut = allowing, cut
        self._has_masks: bool | None = None

    def is_idle(self, observation: Any, info: Any) -> bool:
        """True if all actions can be taken as they are, according to the first results."""
        if self._has_masks is None:
            self._has_masks = masks.find(observation, info) is not None
        return self._cut is None and not self._has_masks

    def chosen(self, action: Any, observation: Any, info: Any, over: Any) -> Any:
        """The actions to take."""
        if self.is_idle(observation, info):
            return action
        if self._cut is not None:
            action = self._cut(action, info)
        if not self._has_masks:
            return action
        start = time.perf_counter()
        action = self._allowing(action, observation, info, over)
        self.seconds += time.perf_counter() - start
        return action


def seconds_per_call(
    pool: envpool.GymnasiumEnvPool, seconds: float, asynchronous: bool
) -> Iterator[float]:
    """Measure the seconds per call :data:`ROUNDS` times, in about ``seconds`` altogether.

    A call is a ``step()``, or if ``asynchronous`` a ``recv()`` and a ``send()``.
    """
    random = np.random.default_rng(0)
    rows, inner = pool.config["batch_size"], pool.spec.spaces
    batches = [random_action(pool.spec, rows, random) for _ in range(_ACTION_BATCHES)]
    allowing = partial(masks.allowed, inner.action_fields, random=random)
    cut = partial(of_players, pool.spec) if inner.most_players > 1 else None
    chooser = Chooser(allowing, cut)
    call = (_start_async if asynchronous else _start)(pool, chooser)
    return _rounds(call, batches, seconds, chooser, lambda: pool.stats(reset=True))


def seconds_per_step(env: VectorEnv[Any, Any, Any], seconds: float) -> Iterator[float]:
    """The same for steps of a vector environment with Gymnasium's methods."""
    env.action_space.seed(0)
    batches = [env.action_space.sample() for _ in range(_ACTION_BATCHES)]
    chooser = Chooser(Allowing(env.single_action_space, env.num_envs, 0))
    return _rounds(_start(env, chooser), batches, seconds, chooser)


def _start(env: Any, chooser: Chooser) -> Callable[[Any], object]:
    observation, info = env.reset(seed=0)
    if chooser.is_idle(observation, info):
        step: Callable[[Any], object] = env.step
        return step
    over = np.zeros(env.num_envs, bool)

    def choose_and_step(action: Any) -> None:
        nonlocal observation, info, over
        chosen = chooser.chosen(action, observation, info, over)
        observation, _, terminated, truncated, info = env.step(chosen)
        over = terminated | truncated

    return choose_and_step


def _start_async(pool: envpool.GymnasiumEnvPool, chooser: Chooser) -> Callable[[Any], object]:
    pool.async_reset()

    def receive_and_send(action: Any) -> None:
        observation, _, terminated, truncated, info = pool.recv()
        chosen = chooser.chosen(action, observation, info, terminated | truncated)
        pool.send(chosen, info["env_id"])

    return receive_and_send


def _rounds(
    call: Callable[[Any], object],
    batches: Sequence[Any],
    seconds: float,
    chooser: Chooser,
    begin: Callable[[], object] = lambda: None,
) -> Iterator[float]:
    """Measure the rounds, after some calls that warm everything up.

    Args:
        call: Gets a batch of actions.
        batches: These, in turn.
        seconds: How long all rounds take, about.
        chooser: Its time does not count.
        begin: Is called before the first round.
    """
    actions = itertools.cycle(batches)

    def measure(calls: int) -> float:
        chosen, start = chooser.seconds, time.perf_counter()
        for action in itertools.islice(actions, calls):
            call(action)
        return time.perf_counter() - start - (chooser.seconds - chosen)

    calls = 1
    while (elapsed := measure(calls)) < seconds / ROUNDS / 4:
        calls *= 2
    calls = max(1, round(calls * seconds / ROUNDS / elapsed))
    begin()
    for _ in range(ROUNDS):
        yield measure(calls) / calls
