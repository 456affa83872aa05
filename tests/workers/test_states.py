"""Snapshots of environments written in Python."""

import functools

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

from envpool.errors import ArgumentError, EnvironmentFailure
from helpers import assert_identical
from pools import actions, opened, started
from worker_envs import Counter, kill_itself

WAYS = {
    "local": {"num_workers": 0},
    "fork": {"num_workers": 2, "start_method": "fork"},
    "pickle": {"num_workers": 2, "snapshots": "pickle"},
    "local pickle": {"num_workers": 0, "snapshots": "pickle"},
}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


class Dice(gymnasium.Env):
    """Adds up random numbers."""

    observation_space = spaces.Box(-np.inf, np.inf, (), np.float64)
    action_space = spaces.Box(-10, 10, (), np.float64)

    def __init__(self, act1=lambda: None):
        self.act1 = act1
        self.sum = 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sum = self.np_random.random()
        return self.sum, {}

    def step(self, action):
        if action == -1:
            self.act1()
        self.sum += self.np_random.random()
        return self.sum, self.sum, bool(self.sum > 3), False, {}

    def get_state(self):
        return {"sum": self.sum}

    def set_state(self, state):
        self.sum = state["sum"]


def limited(**kwargs):
    return TimeLimit(Dice(**kwargs), 4)


def roll_out(pool, steps=12):
    return [pool.step(actions(0, 0, 0, 0), None) for _ in range(steps)]


@each_way
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.one_in(2)
def test_the_same_follows(way, mode):
    with opened([limited] * 4, max_episode_steps=3, autoreset_mode=mode, **way) as pool:
        pool.reset(None, [1, 2, 3, 4], None, False)
        for before in (0, 2, 3):  # amid an episode, at its end, and in the next
            roll_out(pool, before)
            states = pool.get_state()
            first = roll_out(pool)
            pool.set_state(states)
            assert_identical(roll_out(pool), first)


@each_way
def test_a_pool_that_was_never_reset_goes_on_without_its_own_seeds(way):
    """The next episodes, too, are those of the environments that the states were taken from."""
    with started([limited] * 4, seeds=[1, 2, 3, 4], **way) as pool:
        states = pool.get_state()
        first = roll_out(pool)
    with opened([limited] * 4, seeds=[5, 6, 7, 8], **way) as other:
        other.set_state(states)
        assert_identical(roll_out(other), first)


@each_way
def test_other_environments_take_it(way):
    with opened([limited] * 4, **way) as pool:
        pool.reset(None, [1, 2, 3, 4], None, False)
        roll_out(pool, 2)
        (state,) = pool.get_state([2])
        pool.set_state([state] * 4)
        for observation, *_ in roll_out(pool, 8):
            assert len(set(observation.tolist())) == 1
    with opened([limited] * 4, **way) as other:
        other.set_state([state], [1])
        other.step(actions(0), [1])


@each_way
def test_states_heal(way):
    def fail():
        raise ZeroDivisionError

    with opened([functools.partial(limited, act1=fail)] * 4, **way) as pool:
        pool.reset(None, [1, 2, 3, 4], None, False)
        (state,) = pool.get_state([1])
        with pytest.raises(EnvironmentFailure):
            pool.step(actions(0, -1, 0, 0), None)
        with pytest.raises(RuntimeError, match="environment 1"):
            pool.get_state()
        pool.set_state([state], [1])
        pool.step(actions(0, 0, 0, 0), None)


def test_states_survive_their_worker():
    with opened([functools.partial(limited, act1=kill_itself)] * 4) as pool:
        pool.reset(None, [1, 2, 3, 4], None, False)
        states = pool.get_state()
        first = roll_out(pool, 3)
        with pytest.raises(EnvironmentFailure):
            pool.step(actions(0, -1, 0, 0), None)
        pool.set_state(states)
        assert_identical(roll_out(pool, 3), first)


def test_episodes_that_are_over_stay_so():
    with opened([limited] * 4, autoreset_mode="Disabled", max_episode_steps=2) as pool:
        pool.reset(None, [1, 2, 3, 4], None, False)
        roll_out(pool, 2)
        over = pool.get_state()
        pool.reset(None, [], None, False)
        pool.set_state(over)
        with pytest.raises(RuntimeError, match="environment 0 has no episode to step"):
            roll_out(pool, 1)


def test_environments_without_states():
    told = r"Counter has no get_state\(\).*'pickle'"
    with (
        started([Counter] * 2, num_workers=1) as pool,
        pytest.raises(EnvironmentFailure, match=told),
    ):
        pool.get_state()


def test_wrong_states():
    with opened([limited] * 4, num_workers=0) as pool, opened([Counter], num_workers=0) as other:
        pool.reset(None, [1, 2, 3, 4], None, False)
        (state,) = pool.get_state([0])
        for length in range(len(state)):
            with pytest.raises(ArgumentError, match=r"states\[2\] is (no state|damaged)"):
                pool.set_state([state, state, state[:length], state])
        with pytest.raises(ArgumentError, match=r"of a test_states.Dice, but environment 0 is a w"):
            other.set_state([state])
