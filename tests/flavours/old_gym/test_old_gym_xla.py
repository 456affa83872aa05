"""xla() in the flavour for an old gym, as CleanRL's scripts use it."""

import gym
import numpy as np
import pytest

pytest.importorskip("jax")

import jax

import envpool
from helpers import actions_by_env, leaves


def make(**kwargs):
    return envpool.make("CartPole-v1", env_type="gym", num_envs=4, num_threads=2, seed=3, **kwargs)


def without_finals(results):
    """The arrays by their paths, but for the last ones of episodes."""
    return {path: array for path, array in leaves(results) if "final" not in path}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_scan_is_step(mode):
    compiled, plain = (make(max_episode_steps=9, autoreset_mode=mode) for _ in range(2))
    assert isinstance(compiled, gym.Env)
    compiled.reset()
    plain.reset()
    handle, _, _, step = compiled.xla()
    actions = actions_by_env("CartPole-v1", 4, 30)
    run = jax.jit(lambda handle: jax.lax.scan(step, handle, actions))
    _, results = run(handle)
    truncated = 0
    for i, action in enumerate(actions):
        obs, reward, done, info = jax.tree.map(lambda array, i=i: np.asarray(array[i]), results)
        expected = plain.step(action)
        truncated += info["TimeLimit.truncated"].sum()
        if mode == "SameStep":
            np.testing.assert_array_equal(info["_final_obs"], done)
        ours = without_finals((obs, reward, done, info))
        theirs = without_finals(expected)
        assert ours.keys() == theirs.keys()
        for path, array in theirs.items():
            np.testing.assert_array_equal(ours[path], array, path)
    assert truncated


def test_what_a_reset_returns():
    handle, *_ = (pool := make()).xla()
    _, obs = jax.jit(pool.xla_reset())(handle)
    assert obs.shape == (4, 4)
    handle, *_ = (pool := make(gym_reset_return_info=True)).xla()
    _, (obs, info) = jax.jit(pool.xla_reset())(handle)
    assert info["elapsed_step"].tolist() == [0] * 4
