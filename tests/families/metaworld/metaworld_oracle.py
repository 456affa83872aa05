"""metaworld as the oracle of ours; skips whoever imports it without the right versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from envpool.families.metaworld.registration import TASKS
from helpers import OraclePair, skip_without_upstream

skip_without_upstream("metaworld")

from metaworld.policies import ENV_POLICY_MAP  # noqa: E402

from envpool.oracles.metaworld import make_theirs  # noqa: E402, F401 - tests have it from here

# Makes an action out of what upstream's environment observes.
Policy = Callable[[np.ndarray], np.ndarray]


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


def play(pair: OraclePair, policy: Policy, steps: int) -> None:
    """Begins an episode in both, and steps them."""
    observation, _ = pair.call("reset")
    for _ in range(steps):
        observation, *_ = pair.call("step", policy(observation[0])[None])


def compare(name: str, seed: int, lengths: list[int], **options: Any) -> None:
    """Plays episodes of so many random steps."""
    pair, policy = OraclePair(name, [seed], **options), at_random(seed)
    for steps in lengths:
        play(pair, policy, steps)
    pair.ours.close(), pair.theirs.close()
