"""Stable-Baselines3's hindsight experience replay trains on ours as on the originals."""

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


def trained(env):
    """An agent after a few episodes and updates."""
    torch.manual_seed(0)
    torch.set_num_threads(1)  # several take longer for so small a network
    np.random.seed(0)
    model = DDPG(
        "MultiInputPolicy",
        env,
        replay_buffer_class=HerReplayBuffer,
        buffer_size=1000,
        learning_starts=150,
        batch_size=64,
        train_freq=(50, "step"),
        gradient_steps=5,
        seed=0,
        policy_kwargs={"net_arch": [32, 32]},
        action_noise=NormalActionNoise(np.zeros(4), np.full(4, 0.3)),
    )
    return model.learn(400)


def test_training_is_the_same_as_with_their_environments():
    ours = trained(VecEnv(NAME, 2))
    theirs = trained(DummyVecEnv([lambda: make_theirs(NAME)] * 2))
    samples = []
    for model in (ours, theirs):
        np.random.seed(1)
        samples.append(model.replay_buffer.sample(200))
    assert samples[0].rewards.unique().tolist() == [-1.0, 0.0]  # some goals were reached
    assert torch.equal(samples[0].rewards, samples[1].rewards)
    for key, value in samples[1].observations.items():
        assert torch.equal(samples[0].observations[key], value)
    weights = theirs.policy.state_dict()
    for name, value in ours.policy.state_dict().items():
        assert torch.equal(value, weights[name]), name
