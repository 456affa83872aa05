"""minigrid's own environments, to compare ours with."""

from __future__ import annotations

from typing import Any

from envpool.oracles.minigrid import Environments
from helpers import OraclePair, Pair


def make_pair(task_id: str, num_envs: int, seed: int, **options: Any) -> OraclePair:
    """Ours and minigrid's, with ``options`` by its names, reset from this seed on."""
    return OraclePair(task_id, range(seed, seed + num_envs), **options)


def play(pair: Pair, steps: int) -> int:
    """Steps both at random and compares everything; returns how many episodes ended."""
    return pair.play(steps, actions=Environments().actions(pair.theirs.action_space, 0))
