"""highway-env's own environments, to compare ours with."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envpool.oracles.highway import make_theirs
from helpers import OraclePair, Pair, assert_same_bytes, make

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


def assert_same(task_id: str, steps: int, seed: int, num_envs: int = 2, **config: Any) -> int:
    """Plays ours and theirs, which have the same spaces; returns how many episodes ended."""
    pair = make_pair(task_id, num_envs, seed, **config)
    for space in ("single_action_space", "single_observation_space"):
        assert getattr(pair.ours, space) == getattr(pair.theirs, space)
    ends = play(pair, steps, seed % 7)
    pair.assert_same_generators()
    return ends


def assert_same_with(task_id: str, steps: int, config: dict[str, Any]) -> None:
    """Plays with a configuration, in highway-v0 with few vehicles and a quick simulation."""
    few = {"vehicles_count": 8, "simulation_frequency": 5} if task_id == "highway-v0" else {}
    assert_same(task_id, steps, 8, **few, **config)


def play_several(task_id: str, ends: int, **given: Any) -> None:
    """Steps two players' environment of ours and theirs until so many episodes have ended."""
    ours, theirs = make(task_id, 1, seed=7, **given), make_theirs(task_id, **given)
    assert ours.spec.config.max_num_players == 2
    (seen, _), (expected, _) = ours.reset(), theirs.reset(seed=7)
    rng = np.random.default_rng(0)
    while ends:
        assert_same_bytes(seen, np.stack(expected))
        actions = rng.integers(3, size=2).astype(np.int32)
        seen, reward, terminated, truncated, info = ours.step(actions)
        expected, mean, ended, timed_out, more = theirs.unwrapped.step(tuple(actions))
        rewards = [mean, mean] if task_id.endswith("v0") else more["agents_rewards"]
        np.testing.assert_array_equal(reward, np.array(rewards, np.float32))
        np.testing.assert_array_equal(info["players"]["reward"], more["agents_rewards"])
        np.testing.assert_array_equal(info["players"]["terminated"], more["agents_terminated"])
        assert (terminated[0], truncated[0]) == (ended, timed_out)
        if ended or timed_out:
            assert_same_bytes(seen, np.stack(expected))
            (seen, *_), (expected, _) = ours.step(actions), theirs.reset()
            ends -= 1
