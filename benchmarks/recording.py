"""Times pools that record what happens in them against the same pools that do not.

    python benchmarks/recording.py [--cases PATTERN] [--rounds N] [--seconds S]

Both step the same environments with the same actions, in turn, so that what else runs on the
machine hits both. Processor time counts all threads, the recorder's included. The size is that of
the recording, with random actions, per step of an environment. Pong needs ale-py.
"""

import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

import envpool
from usage import Contender, compare, measure

CALLS = 64  # with different actions, drawn beforehand

console = Console()


def main(
    cases: Annotated[str, typer.Option(help="Only cases whose name contains this.")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each contender.")] = 15,
    seconds: Annotated[float, typer.Option(min=0.01, help="How long a round takes.")] = 2.0,
) -> None:
    """Show what recording costs."""
    with tempfile.TemporaryDirectory() as folder:
        pools = {task: Pools(task, num_envs, Path(folder)) for task, num_envs in CASES.items()}
        compare(console, {task: each.make for task, each in pools.items()}, cases, rounds, seconds)
        for task, each in pools.items():
            if each.steps:
                console.print(f"{task}: {each.bits_per_step():.2f} bits per step")


class Pools:
    """One that records, and one that does not."""

    def __init__(self, task: str, num_envs: int, folder: Path) -> None:
        self._task = task
        self._num_envs = num_envs
        self._folder = folder / task
        self._recording: Any = None
        self.steps = 0  # that were recorded

    def make(self) -> dict[str, Contender]:
        off = envpool.make(self._task, num_envs=self._num_envs, seed=1)
        on = envpool.make(self._task, num_envs=self._num_envs, seed=1, record=self._folder)
        space = off.action_space
        space.seed(1)
        actions = [np.stack([space.sample() for _ in range(len(off))]) for _ in range(CALLS)]
        self._recording = on

        def stepped(env: Any) -> Contender:
            env.reset()

            def run(until: float) -> int:
                steps = 0
                while time.perf_counter() < until:
                    for action in actions:
                        env.step(action)
                    steps += CALLS * len(env)
                if env is on:
                    self.steps += steps
                return steps

            return lambda seconds: measure(run, seconds)

        return {"off": stepped(off), "on": stepped(on)}

    def bits_per_step(self) -> float:
        self._recording.close()
        files = (each for each in self._folder.rglob("*") if each.is_file())
        return 8 * sum(each.stat().st_size for each in files) / self.steps


CASES = {"CartPole-v1": 1024, "HalfCheetah-v5": 64, "Pong-v5": 64}

if __name__ == "__main__":
    typer.run(main)
