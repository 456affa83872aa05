"""What a rollout costs: microseconds per step alone, with copies into arrays, and into a Rollout.

    python benchmarks/rollouts.py [--tasks Pong-v5] [--num-steps 128] [--rounds 41]
    python benchmarks/rollouts.py --processor-time  # where others use the cores, too

The ways take turns, a whole rollout each, on pools with the same seeds and actions. Ratios are
medians over rounds, each to the step alone of the same round.
"""

import argparse
import os
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

import envpool

CASES = (("CartPole-v1", 64), ("CartPole-v1", 1024), ("Pong-v5", 64))


def begun(task: str, num_envs: int) -> tuple[Any, Any]:
    """A pool that was reset, and its actions."""
    pool = envpool.make_gym(task, num_envs=num_envs, seed=1)
    return pool, np.zeros(num_envs, np.int64)


def alone(task: str, num_envs: int, num_steps: int) -> Callable[[], None]:
    """Steps, and keeps nothing."""
    pool, actions = begun(task, num_envs)
    pool.reset()

    def roll() -> None:
        for _ in range(num_steps):
            pool.step(actions)

    return roll


def copied(task: str, num_envs: int, num_steps: int) -> Callable[[], None]:
    """Copies what PPO needs into arrays of its own."""
    pool, actions = begun(task, num_envs)
    shape, dtype = pool.observation_space.shape, pool.observation_space.dtype
    observations = np.zeros((num_steps + 1, num_envs, *shape), dtype)
    kept = np.zeros((num_steps, num_envs), np.int64)
    rewards = np.zeros((num_steps, num_envs), np.float32)
    flags = np.zeros((2, num_steps, num_envs), np.bool_)
    observations[0], _ = pool.reset()

    def roll() -> None:
        observations[0] = observations[num_steps]
        for step in range(num_steps):
            observation, reward, terminated, truncated, _ = pool.step(actions)
            observations[step + 1] = observation
            kept[step] = actions
            rewards[step] = reward
            flags[0, step] = terminated
            flags[1, step] = truncated

    return roll


def in_place(
    task: str, num_envs: int, num_steps: int, lazy_frames: bool = False
) -> Callable[[], None]:
    """Steps into a Rollout."""
    pool, actions = begun(task, num_envs)
    rollout = envpool.Rollout(pool, num_steps, lazy_frames=lazy_frames)
    rollout.reset()

    def roll() -> None:
        rollout.begin()
        for _ in range(num_steps):
            rollout.step(actions)

    return roll


def lazy(task: str, num_envs: int, num_steps: int) -> Callable[[], None]:
    """Steps into a Rollout that stores each frame once."""
    return in_place(task, num_envs, num_steps, lazy_frames=True)


WAYS = {"alone": alone, "copied": copied, "Rollout": in_place, "lazy frames": lazy}


def main() -> None:
    """Prints a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="*", default=sorted({task for task, _ in CASES}))
    parser.add_argument("--num-steps", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--processor-time", action="store_true", help="of all threads")
    arguments = parser.parse_args()
    clock = time.process_time if arguments.processor_time else time.perf_counter
    load = os.getloadavg()[0]
    for task, num_envs in CASES:
        if task not in arguments.tasks:
            continue
        ways = {
            name: way(task, num_envs, arguments.num_steps)
            for name, way in WAYS.items()
            if task == "Pong-v5" or name != "lazy frames"
        }
        found: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(arguments.rounds):
            for name, roll in ways.items():
                begin = clock()
                roll()
                found[name].append(1e6 * (clock() - begin) / arguments.num_steps)
        told = []
        for name, times in found.items():
            ratios = [each / base for each, base in zip(times, found["alone"], strict=True)]
            told.append(f"{name} {median(times):,.2f} ({median(ratios):.2f}x)")
        print(f"{task} {num_envs}: {', '.join(told)}", flush=True)
    print(f"Microseconds per step; {os.cpu_count()} cores, load {load:.1f} before")


if __name__ == "__main__":
    main()
