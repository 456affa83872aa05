"""dm_control's suite as the oracle of ours; skips whoever imports it without the right versions."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from helpers import skip_without_upstream

skip_without_upstream("dm_control")

from dm_control.rl import control  # noqa: E402, F401

from dm_control import suite  # noqa: E402, F401 - tests have them from here
from envpool.oracles.dm_control import TASKS, arrays_of, make_theirs  # noqa: E402, F401


def make_ours(name: str, seeds: list[int], **options: Any) -> Any:
    """A Gymnasium vector environment, where keys are dm_control's and rewards float64."""
    return gymnasium.make_vec(f"envpool/{name}", len(seeds), seed=seeds, **options)


def hash_of(data: bytes) -> int:
    """FNV-1a, as the native library has it."""
    result = 0xCBF29CE484222325
    for byte in data:
        result = ((result ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return result


class Pair:
    """Ours with an environment per seed, and dm_control's for each, all with the same kwargs."""

    def __init__(self, name: str, seeds: list[int], **environment_kwargs: Any) -> None:
        self.ours = make_ours(name, seeds, num_threads=2, **environment_kwargs)
        self.theirs = [make_theirs(name, seed, **environment_kwargs) for seed in seeds]
        self.spec = self.theirs[0].action_spec()
        self.rng = np.random.default_rng(0)

    def reset(self) -> None:
        steps = [env.reset() for env in self.theirs]
        self._compare("reset", self.ours.reset()[0], steps)

    def step(self, what: str) -> bool:
        """Steps all with random actions and compares; returns whether episodes have ended."""
        low, high = np.maximum(self.spec.minimum, -1e3), np.minimum(self.spec.maximum, 1e3)
        actions = self.rng.uniform(low, high, (len(self.theirs), *self.spec.shape))
        steps = [env.step(action) for env, action in zip(self.theirs, actions, strict=True)]
        obs, reward, terminated, truncated, _ = self.ours.step(actions)
        self._compare(what, obs, steps)
        if steps[0].first():
            return False
        for i, step in enumerate(steps):
            assert reward[i].tobytes() == np.float64(step.reward).tobytes(), (what, i)
            assert terminated[i] == (step.last() and step.discount == 0.0)
            assert truncated[i] == (step.last() and step.discount == 1.0)
        return bool(steps[0].last())

    def _compare(self, what: str, obs: dict[str, np.ndarray], steps: list[Any]) -> None:
        for i, step in enumerate(steps):
            theirs = arrays_of(step.observation)
            assert list(obs) == list(theirs)
            for key, value in theirs.items():
                ours = obs[key][i]
                assert ours.shape == value.shape, (what, key)
                assert ours.tobytes() == value.tobytes(), (what, i, key, ours, value, ours - value)
