"""Tianshou's own factory for EnvPool and its collector, as they are."""

import gymnasium
import numpy as np
import pytest

from helpers import make

pytest.importorskip("tianshou", reason="needs tianshou")

from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.highlevel.env import EnvFactoryRegistered, EnvMode, EnvPoolFactory, VectorEnvType
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor

N = 4
ROWS = 60  # per environment


@pytest.fixture
def env():
    factory = EnvFactoryRegistered(
        task="CartPole-v1", venv_type=VectorEnvType.DUMMY, envpool_factory=EnvPoolFactory()
    )
    return factory.create_venv(N, EnvMode.TRAINING, seed=3)


@pytest.fixture
def collector(env):
    shape = env.observation_space.shape
    actor = DiscreteActor(
        preprocess_net=Net(state_shape=shape, hidden_sizes=[16]), action_shape=env.action_space.n
    )
    policy = DiscreteActorPolicy(actor=actor, action_space=env.action_space)
    return Collector(policy, env, VectorReplayBuffer(N * ROWS, N))


def test_its_factory_makes_ours(env):
    assert isinstance(env.unwrapped, gymnasium.vector.VectorEnv)
    assert type(env).__module__.startswith("envpool.")
    assert len(env) == N


def test_what_it_collects_is_what_the_pool_returns(env, collector):
    collector.reset()
    stats = collector.collect(n_step=N * ROWS)
    assert stats.n_collected_steps == N * ROWS
    assert stats.n_collected_episodes > N
    plain = make("CartPole-v1", N, seed=env.config["seed"])
    first, _ = plain.reset()
    for i, buffer in enumerate(collector.buffer.buffers):
        assert len(buffer) == ROWS
        obs = first[i]
        for row in buffer[np.arange(ROWS)]:
            np.testing.assert_array_equal(row.obs, obs)
            after, reward, terminated, truncated, _ = plain.step(row.act.reshape(1), np.array([i]))
            np.testing.assert_array_equal(row.obs_next, after[0])
            assert (row.rew, row.terminated, row.truncated) == (reward, terminated, truncated)
            done = terminated[0] or truncated[0]
            obs = plain.reset(np.array([i]))[0][0] if done else after[0]


def test_whole_episodes(collector):
    collector.reset()
    stats = collector.collect(n_episode=6)
    assert len(stats.returns) == 6
    np.testing.assert_array_equal(stats.returns, stats.lens)  # a reward of 1 for each step
