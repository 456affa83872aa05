"""Times a pool of several tasks against pools of one task each.

    python benchmarks/several_tasks.py [--rounds N] [--seconds S]

Contenders take turns, round by round, and the ratio is the median over the rounds; so what else
runs on the machine hits all of them. Processor time and context switches are those of the whole
process, per 1,000 steps of environments.

- four games: 64 environments of each of four Atari games in one pool, against four pools of the
  same environments, which are stepped in turn. Needs ale-py.
"""

import time
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

import envpool
from usage import Contender, compare, measure

GAMES = ("Breakout-v5", "Pong-v5", "SpaceInvaders-v5", "Seaquest-v5")

console = Console()


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each contender.")] = 7,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long a round takes.")] = 0.5,
) -> None:
    """Show what mixing tasks costs."""
    compare(console, CASES, "", rounds, seconds)


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


CASES = {"four games": four_games}

if __name__ == "__main__":
    typer.run(main)
