"""highway-env's own environments, to compare ours with."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

import envpool.oracles.highway  # noqa: F401 - registers them
from helpers import OraclePair, Pair

# By upstream's ids, which are in lower case but for "ActionRepeat".
THEIRS = [
    name
    for name, spec in gymnasium.registry.items()
    if str(spec.entry_point).startswith("highway_env.")
]
SEVERAL = [name for name in THEIRS if "multi-agent" in name]
SINGLE = [name for name in THEIRS if name not in SEVERAL]


def make_pair(task_id: str, num_envs: int, seed: int, **config: Any) -> OraclePair:
    """Ours and highway-env's, with the same ``config``, reset from this seed on."""
    given = {"config": config} if config else {}
    return OraclePair(task_id, range(seed, seed + num_envs), **given)


def gentle_actions(pair: Pair, steps: int, seed: int) -> list[Any]:
    """Random actions that seldom leave the road: small ones, or mostly idle ones."""
    space = pair.theirs.action_space
    space.seed(seed)
    actions = []
    for step in range(steps):
        action = space.sample()
        if action.dtype.kind == "f":
            action = (action * np.float32(0.1 if step % 3 else 1.0)).astype(np.float32)
        elif step % 2:
            action = np.ones_like(action)
        actions.append(action)
    return actions


def play(pair: Pair, steps: int, seed: int = 0) -> int:
    """Steps both and compares everything.

    Returns:
        How many episodes ended.
    """
    return pair.play(steps, actions=gentle_actions(pair, steps, seed))
