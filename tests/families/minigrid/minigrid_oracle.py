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
