"""EpisodeMonitor: what Stable-Baselines3's ``Monitor`` says of episodes."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DIGITS = 6  # Monitor rounds, too


class EpisodeMonitor:
    """Adds up the rewards and steps of each environment's episode.

    Args:
        num_envs: How many environments there are.
    """

    def __init__(self, num_envs: int) -> None:
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        self._start = time.time()

    def begin(self, ids: Any) -> None:
        """Episodes of these environments begin."""
        self._returns[ids] = 0.0
        self._lengths[ids] = 0

    def count(self, rewards: NDArray[np.float64]) -> None:
        """All environments have done a step."""
        self._returns += rewards
        self._lengths += 1

    def episode(self, env_id: int) -> dict[str, Any]:
        """``info["episode"]`` of an environment whose episode is over: return, length, seconds."""
        return {
            "r": round(float(self._returns[env_id]), _DIGITS),
            "l": int(self._lengths[env_id]),
            "t": round(time.time() - self._start, _DIGITS),
        }
