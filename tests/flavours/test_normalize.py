"""envpool.normalize: Gymnasium's statistics, whichever environments a batch has."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.utils import RunningMeanStd
from gymnasium.wrappers.vector import NormalizeObservation, NormalizeReward

import envpool
import envpool.families.testing.registration
from envpool.normalize import Normalizer

TASK = "testing/Counting-v0"


def make(task: str = "CartPole-v1", **options: Any) -> Any:
    return envpool.make(task, "gymnasium", **{"num_envs": 4, "seed": 3} | options)


def actions(pool: Any, rng: np.random.Generator) -> Any:
    space = pool.action_space
    if isinstance(space, gymnasium.spaces.Discrete):
        return rng.integers(space.n, size=pool.num_envs)
    return rng.uniform(space.low, space.high, (pool.num_envs, *space.shape)).astype(space.dtype)


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("CartPole-v1", {"max_episode_steps": 15}),  # float32; some poles fall, some are stopped
        ("Pendulum-v1", {"max_episode_steps": 30}),
        ("FrozenLake-v1", {"num_envs": 8}),  # observations are int64 of shape ()
        (TASK, {"episode_length": [1, 2, 3, 50]}),
        ("testing/Lives-v0", {"lives": 3, "life_length": [1, 2, 3, 4]}),
    ],
)
def test_a_synchronous_pool_has_gymnasiums_bits(task: str, options: dict[str, Any]) -> None:
    ours, theirs = make(task, **options), make(task, **options)
    normalizer = Normalizer(ours, gamma=0.9)
    has_boxes = isinstance(ours.observation_space, gymnasium.spaces.Box)
    wrapped = NormalizeReward(NormalizeObservation(theirs) if has_boxes else theirs, gamma=0.9)
    rng = np.random.default_rng(1)
    for round_ in range(3):  # a reset() in the midst of episodes begins new returns
        normalizer.update_running_mean = wrapped.update_running_mean = round_ < 2
        if has_boxes:
            wrapped.env.update_running_mean = round_ < 2
        expected = wrapped.reset()[0]
        observation = ours.reset()[0]
        normalizer.reset()
        if has_boxes:
            np.testing.assert_array_equal(normalizer.observations(observation), expected)
        for _ in range(60):
            action = actions(ours, rng)
            expected, expected_reward, *_ = wrapped.step(action)
            observation, reward, terminated, truncated, info = ours.step(action)
            reward = normalizer.rewards(reward, terminated, truncated, info)
            np.testing.assert_array_equal(reward, expected_reward, strict=True)
            if has_boxes:
                observation = normalizer.observations(observation)
                np.testing.assert_array_equal(observation, expected, strict=True)


@pytest.mark.parametrize("mode", ["SAME_STEP", "DISABLED"])
def test_other_modes_have_gymnasiums_bits(mode: str) -> None:
    options = {"episode_length": [1, 2, 3, 50], "autoreset_mode": mode}
    ours, theirs = make(TASK, **options), make(TASK, **options)
    normalizer, wrapped = Normalizer(ours), NormalizeReward(theirs)
    rng = np.random.default_rng(1)
    ours.reset()
    wrapped.reset()
    for _ in range(40):
        action = actions(ours, rng)
        _, expected, *_ = wrapped.step(action)
        _, reward, terminated, truncated, info = ours.step(action)
        reward = normalizer.rewards(reward, terminated, truncated, info)
        np.testing.assert_array_equal(reward, expected, strict=True)
        if mode == "DISABLED" and (terminated | truncated).any():
            for env in (ours, normalizer, wrapped):  # Gymnasium's forgets the returns of all
                env.reset()


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP", "DISABLED"])
def test_an_asynchronous_pool_has_a_return_per_environment(mode: str) -> None:
    """Counted anew, from the rows of each environment by itself."""
    pool = make(TASK, batch_size=2, episode_length=[1, 2, 3, 50], autoreset_mode=mode)
    normalizer, gamma = Normalizer(pool, gamma=0.9), 0.9
    returns: dict[int, float] = defaultdict(float)
    was_over: dict[int, bool] = defaultdict(lambda: True)  # a reset comes next
    observed, earned = RunningMeanStd(shape=(1,)), RunningMeanStd()
    pool.async_reset()
    for _ in range(200):
        observation, reward, terminated, truncated, info = pool.recv()
        normalizer.observations(observation)
        scaled = normalizer.rewards(reward, terminated, truncated, info)
        observed.update(observation)
        batch, ids = [], info["env_id"]
        for row, env_id in enumerate(ids):
            if not was_over[env_id]:
                kept = 0 if terminated[row] else returns[env_id] * gamma
                returns[env_id] = kept + reward[row]
                batch.append(returns[env_id])
            over = bool(terminated[row] | truncated[row])
            was_over[env_id] = over and mode != "SAME_STEP"
            if over and mode != "NEXT_STEP":
                returns[env_id] = 0.0
        if batch:
            earned.update(np.array(batch))
        np.testing.assert_allclose(scaled, reward / np.sqrt(earned.var + 1e-8), rtol=1e-4)
        over = terminated | truncated if mode == "DISABLED" else np.zeros(2, bool)
        pool.async_reset(ids[over])
        pool.send(np.zeros(2, int)[~over], ids[~over])
    # Those here are added up in float64.
    np.testing.assert_allclose(normalizer.obs_rms.var, observed.var, rtol=1e-4)
    np.testing.assert_allclose(normalizer.return_rms.mean, earned.mean, rtol=1e-4)
    assert normalizer.return_rms.count < normalizer.obs_rms.count  # of resets, no rewards


def test_frozen_statistics_stay() -> None:
    pool = make()
    normalizer = Normalizer(pool)
    normalizer.observations(pool.reset()[0])
    normalizer.update_running_mean = False
    before = normalizer.state_dict()
    observation, *rest = pool.step(np.zeros(4, int))
    normalizer.observations(observation)
    normalizer.rewards(*rest)
    after = normalizer.state_dict()
    for name in ("obs_rms", "return_rms"):
        for part in ("mean", "var", "count"):
            np.testing.assert_array_equal(after[f"{name}.{part}"], before[f"{name}.{part}"])


def test_a_loaded_normalizer_goes_on_with_the_same_bits() -> None:
    pool = make(max_episode_steps=9)
    first, second = Normalizer(pool), Normalizer(pool)
    pool.reset()
    rng = np.random.default_rng(1)
    for step in range(60):
        observation, *rest = pool.step(actions(pool, rng))
        if step == 30:
            second.load_state_dict(first.state_dict())
        results = first.observations(observation), first.rewards(*rest)
        if step >= 30:
            again = second.observations(observation), second.rewards(*rest)
            for one, other in zip(results, again, strict=True):
                np.testing.assert_array_equal(one, other, strict=True)


def test_a_smaller_pool_takes_the_statistics_over() -> None:
    pool = make()
    first, second = Normalizer(pool), Normalizer(make(num_envs=1))
    observation = pool.reset()[0]
    first.observations(observation)
    second.load_state_dict(first.state_dict())
    first.update_running_mean = second.update_running_mean = False
    np.testing.assert_array_equal(first.observations(observation), second.observations(observation))


def test_misuse_is_explained() -> None:
    pool = make()
    normalizer = Normalizer(pool)
    with pytest.raises(TypeError, match=r"env is .*, expected a pool of envpool.make"):
        Normalizer(envpool.make("CartPole-v1", "dm"))  # type: ignore[arg-type]
    with pytest.raises(envpool.ArgumentError, match=r"gamma is 1\.5, expected a number"):
        Normalizer(pool, gamma=1.5)
    with pytest.raises(envpool.ArgumentError, match="epsilon is 0, expected a number greater"):
        Normalizer(pool, epsilon=0)
    with pytest.raises(envpool.ArgumentError, match=r"has shape \(4, 3\), expected an array"):
        normalizer.observations(np.zeros((4, 3)))
    with pytest.raises(envpool.ArgumentError, match=r"observation is \{'image': 1\}, exp"):
        normalizer.observations({"image": 1})  # type: ignore[arg-type]
    pool.reset()
    _, reward, terminated, truncated, info = pool.step(np.zeros(4, int))
    with pytest.raises(envpool.ArgumentError, match=r"reward has shape \(3,\), expected \(4,\)"):
        normalizer.rewards(reward[:3], terminated, truncated, info)
    state = normalizer.state_dict()
    with pytest.raises(envpool.ArgumentError, match=r"shape \(4,\), expected \(3,\)"):
        Normalizer(make("Pendulum-v1")).load_state_dict(state)
    del state["returns"]
    with pytest.raises(envpool.ArgumentError, match="state has no 'returns'"):
        normalizer.load_state_dict(state)
