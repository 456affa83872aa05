"""minigrid's own environments, to compare ours with."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from envpool.oracles.minigrid import WEIGHTS, make_theirs
from helpers import Pair


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
    weights = WEIGHTS[: pair.ours.single_action_space.n]
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
