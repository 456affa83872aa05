"""metaworld as the oracle of ours; skips whoever imports it without the right versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

from envpool.families.metaworld.registration import TASKS
from helpers import assert_identical, skip_without_upstream

skip_without_upstream("metaworld")

from metaworld.policies import ENV_POLICY_MAP  # noqa: E402

from envpool.oracles.metaworld import make_theirs  # noqa: E402

# Makes an action out of what upstream's environment observes.
Policy = Callable[[np.ndarray], np.ndarray]


def make_ours(name: str, num_envs: int = 1, **options: Any) -> Any:
    """A Gymnasium vector environment, where rewards are float64."""
    return gymnasium.make_vec(f"envpool/{name.replace('/', '-')}", num_envs, **options)


def at_random(seed: int) -> Policy:
    """Random actions, some beyond the bounds, each for some steps: others cancel each other out."""

    def actions() -> Iterator[np.ndarray]:
        rng = np.random.default_rng(seed)
        while True:
            yield from [rng.uniform(-1.2, 1.2, 4).astype(np.float32)] * 6

    endless = actions()
    return lambda observation: next(endless)


def scripted(name: str) -> Policy:
    """Upstream's own policy, which does the task; it has to see the goal."""
    policy = ENV_POLICY_MAP[TASKS[name]]()
    return lambda observation: np.clip(policy.get_action(observation), -1, 1).astype(np.float32)


class Pair:
    """Ours and theirs, of one environment with the same options.

    Args:
        name: Our id.
        seed: Of the first reset.
        **options: By our names.
    """

    def __init__(self, name: str, seed: int, **options: Any) -> None:
        self.name, self.seed = name, seed
        self.ours, self.theirs = make_ours(name, **options), make_theirs(name, **options)
        self._has_begun = False

    def play(self, policy: Policy, steps: int) -> dict[str, float]:
        """Resets both and steps them; returns the largest value of each info."""
        seed = None if self._has_begun else self.seed
        self._has_begun = True
        observation, info = self.theirs.reset(seed=seed)
        ours, our_info = self.ours.reset(seed=None if seed is None else [seed])
        assert_identical(ours[0], observation, f"{self.name} reset")
        assert info == our_info == {}
        largest: dict[str, float] = {}
        for step in range(steps):
            action = policy(observation)
            observation, *result, info = self.theirs.step(action)
            ours, *our_result, our_info = self.ours.step(action[None])
            where = f"{self.name} step {step}"
            assert_identical(ours[0], observation, where)
            assert [each[0] for each in our_result] == result, where
            assert {key: our_info[key][0] for key in our_info if key[0] != "_"} == info, where
            largest = {key: max(value, largest.get(key, 0.0)) for key, value in info.items()}
        return largest

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()


def compare(name: str, seed: int, lengths: list[int], **options: Any) -> None:
    """Plays episodes of so many random steps."""
    pair, policy = Pair(name, seed, **options), at_random(seed)
    for steps in lengths:
        pair.play(policy, steps)
    pair.close()
