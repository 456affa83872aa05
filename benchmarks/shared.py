"""Times pools that share threads, and pools of several tasks, against pools that do neither.

    python benchmarks/shared.py [--cases PATTERN] [--rounds N] [--seconds S]

Contenders take turns, round by round, and the ratio is the median over the rounds; so what else
runs on the machine hits all of them. Processor time and context switches are those of the whole
process, per 1,000 steps of environments.

- two pools: on the threads of one ThreadPool, against one of them alone on the same threads.
- 16 pools: of 64 LunarLanders, each stepped by a Python thread of its own, with a ThreadPool
  against as many threads for each.
- four games: 4 x 16 environments of four Atari games, against four pools of 64 of one game each,
  which are stepped in turn, so that both step as many of each game. Needs ale-py.
"""

import os
import resource
import threading
import time
from collections.abc import Callable
from statistics import median
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

import envpool
from envpool.cores import cores

GAMES = ("Breakout-v5", "Pong-v5", "SpaceInvaders-v5", "Seaquest-v5")

console = Console()


class Usage(NamedTuple):
    """What a round has cost."""

    rate: float  # steps of environments per second
    busy_ms: float  # of processors, per 1,000 steps
    switches: float  # per 1,000 steps


Contender = Callable[[float], Usage]  # runs for so many seconds


def main(
    cases: Annotated[str, typer.Option(help="Only cases whose name contains this.")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each contender.")] = 7,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long a round takes.")] = 0.5,
) -> None:
    """Show what sharing threads costs, and mixing tasks."""
    table = Table("case", "contender", "steps/s", "CPU ms", "switches", "ratio of rates")
    for name, make in CASES.items():
        if cases not in name:
            continue
        with console.status(name):
            contenders = make()
            found: dict[str, list[Usage]] = {each: [] for each in contenders}
            for _ in range(rounds):
                for each, run in contenders.items():
                    found[each].append(run(seconds))
        (_, base), *_ = found.items()
        for each, usages in found.items():
            ratios = [usage.rate / theirs.rate for usage, theirs in zip(usages, base, strict=True)]
            rate, busy, switches = (median(column) for column in zip(*usages, strict=True))
            table.add_row(
                name,
                each,
                f"{rate:,.0f}",
                f"{busy:.2f}",
                f"{switches:.2f}",
                f"{median(ratios):.3f}",
            )
    console.print(table)
    console.print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {rounds} rounds")


def measure(run: Callable[[float], int], seconds: float) -> Usage:
    """What a function costs that runs until a moment and returns its number of steps."""
    before, begin = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    steps = run(begin + seconds)
    after, end = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    busy = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    switches = after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw
    return Usage(steps / (end - begin), 1e6 * busy / steps, 1000 * switches / steps)


def at_once(players: list[Callable[[float], int]]) -> Contender:
    """Runs each of them in a Python thread of its own."""

    def run(until: float) -> int:
        steps: list[int] = []
        threads = [
            threading.Thread(target=lambda play=play: steps.append(play(until))) for play in players
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(steps)

    return lambda seconds: measure(run, seconds)


def stepped(env: Any, action: Any) -> Callable[[float], int]:
    """Steps a synchronous pool."""
    env.reset()

    def play(until: float) -> int:
        steps = 0
        while time.perf_counter() < until:
            env.step(action)
            steps += len(env)
        return steps

    return play


def streamed(env: Any, action: Any) -> Callable[[float], int]:
    """Steps an asynchronous pool."""
    env.async_reset()

    def play(until: float) -> int:
        steps = 0
        while time.perf_counter() < until:
            env.send(action, env.recv()[-1]["env_id"])
            steps += len(action)
        return steps

    return play


def two_pools() -> dict[str, Contender]:
    """Asynchronous CartPoles on two threads."""
    threads = envpool.ThreadPool(2)
    action = np.zeros(16, np.int32)

    def player() -> Callable[[float], int]:
        pool = envpool.make(
            "CartPole-v1", "gymnasium", num_envs=64, batch_size=16, thread_pool=threads
        )
        return streamed(pool, action)

    return {"one pool": at_once([player()]), "two pools": at_once([player(), player()])}


def many_pools() -> dict[str, Contender]:
    """LunarLanders, with threads of their own and with shared ones."""
    action = np.zeros(64, np.int32)

    def players(**options: Any) -> list[Callable[[float], int]]:
        return [
            stepped(envpool.make("LunarLander-v3", "gymnasium", num_envs=64, **options), action)
            for _ in range(16)
        ]

    threads = envpool.ThreadPool(cores())
    return {
        "private threads": at_once(players(num_threads=cores())),
        "shared threads": at_once(players(thread_pool=threads)),
    }


def four_games() -> dict[str, Contender]:
    """Atari games in pools of their own, and in one."""
    action = np.zeros(64, np.int32)
    singles = [envpool.make(game, "gymnasium", num_envs=64) for game in GAMES]
    multi = envpool.make_multi([game for _ in range(16) for game in GAMES], "gymnasium")
    for env in (*singles, multi):
        env.reset()

    def turns(envs: list[Any]) -> Contender:
        def run(until: float) -> int:
            steps = 0
            while time.perf_counter() < until:
                for env in envs:
                    env.step(action)
                steps += sum(map(len, envs))
            return steps

        return lambda seconds: measure(run, seconds)

    return {"four pools": turns(singles), "make_multi": turns([multi])}


CASES = {"two pools": two_pools, "16 pools": many_pools, "four games": four_games}

if __name__ == "__main__":
    typer.run(main)
