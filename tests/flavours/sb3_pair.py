"""Our VecEnv beside Stable-Baselines3's DummyVecEnv of the same environments."""

import math

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from envpool.sb3 import VecEnv
from helpers import assert_identical

N = 5


def without_times(infos):
    """Infos without the seconds that monitors measure."""
    for info in infos:
        if "episode" in info:
            assert 0.0 <= info["episode"].pop("t") < math.inf
    return infos


def flat(obs):
    """Dicts of one type: DummyVecEnv has an OrderedDict."""
    return dict(obs) if isinstance(obs, dict) else obs


class Pair:
    """A VecEnv of ours and theirs over single environments: what one does, the other must.

    Args:
        source: What ours is made of.
        theirs: The id of an environment of theirs, or a function that makes one.
        num_envs: How many.
        monitor: With monitors?
        workers: Options of our pool alone.
        **options: Of the environments.
    """

    def __init__(self, source, theirs, num_envs=N, monitor=True, workers=None, **options):
        def make():
            is_id = isinstance(theirs, str)
            env = gymnasium.make(theirs, **options) if is_id else theirs(**options)
            return Monitor(env) if monitor else env

        self.ours = VecEnv(source, num_envs, monitor=monitor, **options, **(workers or {}))
        self.theirs = DummyVecEnv([make] * num_envs)
        assert self.ours.observation_space == self.theirs.observation_space
        assert self.ours.action_space == self.theirs.action_space
        self.theirs.action_space.seed(0)

    def both(self, call):
        """Calls both and compares what they return."""
        ours, theirs = call(self.ours), call(self.theirs)
        assert_identical(ours, theirs)
        return ours

    def seed(self, seed):
        assert self.both(lambda env: env.seed(seed)) is not None

    def begin(self):
        """Seeds and resets both; returns itself."""
        self.seed(3)
        self.reset()
        return self

    def reset(self):
        ours, theirs = flat(self.ours.reset()), flat(self.theirs.reset())
        assert_identical(ours, theirs, "reset")
        self.assert_same_reset_infos()

    def assert_same_reset_infos(self):
        assert_identical(self.ours.reset_infos, self.theirs.reset_infos, "reset_infos")

    def actions(self):
        """Random ones, among those that are allowed."""
        space, masks = self.theirs.action_space, [None] * self.ours.num_envs
        if self.ours.has_attr("action_masks"):
            masks = self.ours.action_masks().astype(np.int8)
        if isinstance(space, gymnasium.spaces.MultiDiscrete):
            splits = np.cumsum(space.nvec)[:-1]
            masks = [mask if mask is None else tuple(np.split(mask, splits)) for mask in masks]
        return np.stack([space.sample(mask=mask) for mask in masks])

    def play(self, steps):
        """Steps both with random actions; returns how many episodes ended, and by limit."""
        ended = by_limit = 0
        for _ in range(steps):
            actions = self.actions()
            obs, rewards, dones, infos = self.ours.step(actions)
            their_obs, their_rewards, their_dones, their_infos = self.theirs.step(actions)
            assert_identical(flat(obs), flat(their_obs), "observation")
            assert_identical(rewards, their_rewards, "reward")
            assert_identical(dones, their_dones, "done")
            assert_identical(
                [dict(sorted(info.items())) for info in without_times(infos)],
                [dict(sorted(info.items())) for info in without_times(their_infos)],
                "infos",
            )
            self.assert_same_reset_infos()
            ended += int(dones.sum())
            by_limit += sum(info["TimeLimit.truncated"] for info in infos)
        return ended, by_limit


def assert_rows_are_equal(pair, steps, ends, is_limited):
    """Plays; episodes must end by themselves, and by their limit, if this says so."""
    ended, by_limit = pair.begin().play(steps)
    assert (ended > by_limit, by_limit > 0) == (ends, is_limited)
    pair.reset()  # without seeds: all go on with their generators
    pair.play(steps // 4)
    pair.ours.close()


def assert_refused(pair, call, error, match):
    """Calls ours, which must raise this, and play on as if nothing had happened."""
    pair.begin()
    with pytest.raises(error, match=match):
        call(pair.ours)
    pair.play(5)


def assert_shown(env, screen):
    """Steps and renders an environment in a window, and closes both."""
    env.reset()
    env.step(np.zeros(2, int))
    shown = screen.shown
    assert shown > 0
    env.render()
    assert screen.shown > shown
    env.close()
    assert not screen.is_open


def learned(env, algorithm=PPO, policy="MlpPolicy", evaluate=evaluate_policy):
    """A short training: its parameters, the episodes that it saw, and how it then does."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more of them slow down small networks
    try:
        options = {"n_steps": 32, "batch_size": 80, "n_epochs": 2, "seed": 3, "device": "cpu"}
        model = algorithm(policy, env, **options)
        model.learn(320)
        episodes = [(episode["r"], episode["l"]) for episode in model.ep_info_buffer]
        returns = evaluate(model, env, n_eval_episodes=3, return_episode_rewards=True)
    finally:
        torch.set_num_threads(threads)
    return [p.detach().numpy() for p in model.policy.parameters()], episodes, returns


def assert_learns_the_same(ours, theirs, *how):
    """Trains with both; see :func:`learned`."""
    ours, theirs = learned(ours, *how), learned(theirs, *how)
    assert ours[1:] == theirs[1:]
    assert_identical(ours[0], theirs[0])
    return ours
