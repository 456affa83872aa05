"""Stable-Baselines3's hindsight experience replay trains on our environments."""

from __future__ import annotations

import numpy as np
import pytest

from robotics_oracle import make_theirs

pytest.importorskip("stable_baselines3", reason="needs Stable-Baselines3")

import torch
from stable_baselines3 import DDPG, HerReplayBuffer
from stable_baselines3.common.noise import NormalActionNoise
from stable_baselines3.common.vec_env import DummyVecEnv

from envpool.sb3 import VecEnv

NAME = "FetchReach-v4"
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*out of date:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:this process has made"),
]


def agent(env, learning_starts):
    torch.manual_seed(0)
    np.random.seed(0)
    return DDPG(
        "MultiInputPolicy",
        env,
        replay_buffer_class=HerReplayBuffer,
        learning_starts=learning_starts,
        gamma=0.95,
        tau=0.05,
        batch_size=256,
        train_freq=(50, "step"),
        gradient_steps=100,
        seed=0,
        policy_kwargs={"net_arch": [64, 64]},
        action_noise=NormalActionNoise(np.zeros(4), np.full(4, 0.3)),
    )


def test_replayed_rewards_are_those_of_their_environments():
    ours, theirs = (
        agent(env, 10**6).learn(400).replay_buffer
        for env in (VecEnv(NAME, 2), DummyVecEnv([lambda: make_theirs(NAME)] * 2))
    )
    for buffer in (ours, theirs):
        np.random.seed(1)
        buffer.sampled = buffer.sample(200)
    assert ours.sampled.rewards.unique().tolist() == [-1.0, 0.0]
    assert torch.equal(ours.sampled.rewards, theirs.sampled.rewards)
    for key, value in theirs.sampled.observations.items():
        assert torch.equal(ours.sampled.observations[key], value)
