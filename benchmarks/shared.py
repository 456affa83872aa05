"""Times pools that share threads, and pools of several tasks, against pools that do neither.

    python benchmarks/shared.py [--cases PATTERN] [--rounds N] [--seconds S]

Contenders take turns, round by round, and the ratio is the median over the rounds; so what else
runs on the machine hits all of them. Processor time and context switches are those of the whole
process, per 1,000 steps of environments.

- two pools: on the threads of one ThreadPool, against one of them alone on the same threads.
- 16 pools: of 64 LunarLanders, each stepped by a Python thread of its own, with a ThreadPool
  against as many threads for each.
- four games: 64 environments of each of four Atari games in one pool, against four pools of the
  same environments, which are stepped in turn. Needs ale-py.
"""

import threading
import time
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

import envpool
from envpool.machine import cores
from usage import Contender, compare, measure

GAMES = ("Breakout-v5", "Pong-v5", "SpaceInvaders-v5", "Seaquest-v5")

console = Console()


def main(
    cases: Annotated[str, typer.Option(help="Only cases whose name contains this.")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each contender.")] = 7,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long a round takes.")] = 0.5,
) -> None:
    """Show what sharing threads costs, and mixing tasks."""
    compare(console, CASES, cases, rounds, seconds)


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
    seeds = range(len(GAMES) * 64)
    singles = [
        envpool.make(game, "gymnasium", num_envs=64, seed=list(seeds[64 * i : 64 * (i + 1)]))
        for i, game in enumerate(GAMES)
    ]
    multi = envpool.make_multi(dict.fromkeys(GAMES, 64), "gymnasium", seed=list(seeds))
    for env in (*singles, multi):
        env.reset()

    def turns(envs: list[Any]) -> Contender:
        actions = np.zeros(len(envs[0]), np.int32)

        def run(until: float) -> int:
            steps = 0
            while time.perf_counter() < until:
                for env in envs:
                    env.step(actions)
                steps += sum(map(len, envs))
            return steps

        return lambda seconds: measure(run, seconds)

    return {"four pools": turns(singles), "make_multi": turns([multi])}


CASES = {"two pools": two_pools, "16 pools": many_pools, "four games": four_games}

if __name__ == "__main__":
    typer.run(main)
