"""minigrid's own environments, to compare ours with."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import minigrid  # noqa: F401 - registers them
from envpool.tasks import gymnasium_plugin
from helpers import Pair
from wfc_oracle import provide_pictures

gymnasium_plugin.register_tasks()

# Mostly forward, so that agents get somewhere: left, right, forward, pick up, drop, toggle, done.
_WEIGHTS = np.array([3, 3, 10, 4, 2, 4, 0.5])


class Sorted(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Observations in the order of their space, with a direction of Python's integers.

    minigrid's have another order, and an integer of NumPy's where the direction was drawn; it shows
    in nothing but the last observations of episodes.
    """

    def observation(self, observation: dict[str, Any]) -> dict[str, Any]:
        ordered = {key: observation[key] for key in self.observation_space}
        ordered["direction"] = int(ordered["direction"])
        return ordered


def make_theirs(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """minigrid's environment of this id."""
    if "-WFC-" in task_id:
        provide_pictures()
    return Sorted(gymnasium.make(task_id, disable_env_checker=True, **options).unwrapped)


def make_pair(
    task_id: str,
    num_envs: int,
    mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    **options: Any,
) -> Pair:
    """Ours and minigrid's, with ``options`` by its names."""
    make = functools.partial(make_theirs, task_id, **options)
    return Pair(
        gymnasium.make_vec(
            f"envpool/{task_id}", num_envs, num_threads=2, autoreset_mode=mode, **options
        ),
        SyncVectorEnv([make] * num_envs, autoreset_mode=mode),
    )


def play(pair: Pair, steps: int, seed: int = 0) -> tuple[int, int]:
    """Steps both at random and compares everything.

    Returns:
        How many episodes ended, and how many of them with a reward.
    """
    rng = np.random.default_rng(seed)
    weights = _WEIGHTS[: pair.ours.single_action_space.n]
    actions = rng.choice(len(weights), (steps, pair.ours.num_envs), p=weights / weights.sum())
    ended = won = 0
    for action in actions:
        _, reward, terminated, truncated, _ = pair.call("step", action)
        ended += int((terminated | truncated).sum())
        won += int((np.asarray(reward) > 0).sum())
    return ended, won


def assert_same_episodes(task_id: str, num_envs: int, steps: int) -> None:
    """Plays a task twice, the second time with the generators as the first has left them."""
    pair = make_pair(task_id, num_envs)
    pair.call("reset", seed=0)
    play(pair, steps)
    pair.assert_same_generators()
    pair.call("reset")
    play(pair, 3)


def assert_same_long_play(task_id: str, steps: int) -> None:
    """Plays many short episodes of a task."""
    num_envs, limit = 30, 45
    pair = make_pair(task_id, num_envs, max_steps=limit)
    pair.call("reset", seed=2**40)
    ended, _ = play(pair, steps)
    assert ended >= num_envs * (steps // (limit + 1))
    pair.assert_same_generators()
