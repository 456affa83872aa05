"""Compares the tasks of Box2D with Gymnasium's own at length, bit for bit.

    PYTHONPATH=tests python tests/families/box2d/box2d_oracle.py --steps 2000 [TASK ...]

CarRacing takes 10 ms a step, because Gymnasium draws its pictures with pygame.
"""

from __future__ import annotations

import argparse
import warnings

import gymnasium
from tqdm import tqdm

from envpool.oracles.box2d import Environments
from helpers import Pair

TASKS = {
    "LunarLander-v3": {},
    "LunarLanderContinuous-v3": {"enable_wind": True},
    "BipedalWalker-v3": {},
    "BipedalWalkerHardcore-v3": {},
    "CarRacing-v3": {},
    "CarRacing-v3 domain_randomize": {"domain_randomize": True},
    "CarRacing-v3 discrete": {"continuous": False},
}


def compare(task: str, steps: int, seed: int) -> int:
    """Steps both; returns how many episodes ended.

    Raises:
        AssertionError: Something differs.
    """
    task_id = task.split(maxsplit=1)[0]
    options = TASKS[task]
    ours = gymnasium.make_vec(f"envpool/{task_id}", 1, **options)
    theirs = gymnasium.make_vec(task_id, 1, vectorization_mode="sync", **options)
    pair = Pair(ours, theirs)
    pair.call("reset", seed=seed)
    actions = Environments().actions(theirs.action_space, seed)
    ended = 0
    for _ in tqdm(range(steps), desc=f"{task}, seed {seed}", leave=False):
        _, _, terminated, truncated, _ = pair.call("step", next(actions))
        ended += int((terminated | truncated).sum())
    pair.assert_same_generators()
    return ended


def main() -> None:
    """Compares what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tasks", nargs="*", metavar="TASK", help=", ".join(TASKS))
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for task in arguments.tasks or TASKS:
        ended = sum(compare(task, arguments.steps, 1000 + i) for i in range(arguments.seeds))
        print(f"{task}: {arguments.seeds} x {arguments.steps} steps equal, {ended} episode ends")


if __name__ == "__main__":
    main()
