"""minigrid's own environments, to compare ours with."""

from __future__ import annotations

from typing import Any

from envpool.oracles.minigrid import Environments
from helpers import OraclePair, Pair


def make_pair(task_id: str, num_envs: int, seed: int, **options: Any) -> OraclePair:
    """Ours and minigrid's, with ``options`` by its names, reset from this seed on."""
    return OraclePair(task_id, range(seed, seed + num_envs), **options)


def compare(task_id: str, num_envs: int, seed: int, steps: int, **options: Any) -> None:
    """Plays both at random, until their generators are in the same states."""
    pair = make_pair(task_id, num_envs, seed, **options)
    play(pair, steps)
    pair.assert_same_generators()


def play(pair: Pair, steps: int) -> int:
    """Steps both at random and compares everything; returns how many episodes ended."""
    return pair.play(steps, actions=Environments().actions(pair.theirs.action_space, 0))
