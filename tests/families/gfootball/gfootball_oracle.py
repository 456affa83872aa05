"""Football's environments beside those of upstream's Python package."""

import numpy as np

from helpers import LACKS, skip_without_upstream

if LACK := LACKS["envpool.families.gfootball"]:
    import pytest

    pytest.skip(LACK, allow_module_level=True)
skip_without_upstream("gfootball")

import envpool  # noqa: E402
from envpool.oracles.gfootball import upstream  # noqa: E402
from helpers import assert_same_bytes, assert_same_results  # noqa: E402


def play_together(scenario, steps, seed=0, **options):
    """Steps one environment with several agents, or raw observations, beside upstream's.

    Returns:
        How many episodes ended.
    """
    pool = envpool.make(f"gfootball/{scenario}-v1", seed=seed, max_episode_steps=10**6, **options)
    theirs = upstream(scenario, **options)
    obs, info = pool.reset()
    expected, their_info = theirs.reset(seed=seed)
    count = options.get("number_of_left_players_agent_controls", 1) + options.get(
        "number_of_right_players_agent_controls", 0
    )
    rng = np.random.default_rng(seed)
    action = rng.integers(pool.action_space.n, size=count)
    ends = 0
    _assert_same(obs, expected, info, their_info, count)
    for _ in range(steps):
        again = rng.random(count) < 0.8
        action = np.where(again, action, rng.integers(pool.action_space.n, size=count))
        obs, reward, terminated, _, info = pool.step(action)
        expected, their_reward, done, _, their_info = theirs.step(action)
        _assert_same(obs, expected, info, their_info, count)
        assert_same_bytes(reward, np.atleast_1d(np.asarray(their_reward, np.float32)))
        assert terminated[0] == done
        if done:
            ends += 1
            obs, _, _, _, info = pool.step(action)
            expected, their_info = theirs.reset()
            _assert_same(obs, expected, info, their_info, count)
    return ends


def _assert_same(obs, expected, info, their_info, count):
    if isinstance(obs, dict):
        assert_same_results(obs, expected)
    else:
        assert_same_bytes(obs, np.asarray(expected).reshape(obs.shape))
    for name, value in their_info.items():
        assert_same_bytes(info[name][0], value, name)
    assert len(info["players"]["env_id"]) == count
