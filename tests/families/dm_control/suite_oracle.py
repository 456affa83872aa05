"""dm_control's suite as the oracle of ours; skips whoever imports it without the right versions."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from helpers import OraclePair, skip_without_upstream

skip_without_upstream("dm_control")

from dm_control.rl import control  # noqa: E402, F401

from dm_control import suite  # noqa: E402, F401 - tests have them from here
from envpool.oracles.dm_control import TASKS, make_theirs  # noqa: E402, F401


def make_ours(name: str, seeds: list[int], **options: Any) -> Any:
    """A Gymnasium vector environment, where keys are dm_control's and rewards float64."""
    return gymnasium.make_vec(f"envpool/{name}", len(seeds), seed=seeds, **options)


def hash_of(data: bytes) -> int:
    """FNV-1a, as the native library has it."""
    result = 0xCBF29CE484222325
    for byte in data:
        result = ((result ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return result


def play(pair: OraclePair, steps: int) -> int:
    """Steps both by random actions, of which Lqr's have hardly limits; counts ends of episodes."""
    space, rng = pair.theirs.action_space, np.random.default_rng(0)
    low, high = np.maximum(space.low, -1e3), np.minimum(space.high, 1e3)
    return pair.play(steps, actions=(rng.uniform(low, high) for _ in range(steps)))
