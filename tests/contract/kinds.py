"""Pools of every kind, which all keep the same contract."""

from __future__ import annotations

import functools
import os
import signal
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
import envpool.families.testing.registration
from helpers import assert_same_results, make

# Options of pools of environments written in Python; None: the environments are native.
KINDS: dict[str, dict[str, Any] | None] = {
    "native": None,
    "several tasks": None,
    "this process": {"num_workers": 0},
    "forked processes": {"num_workers": 2, "start_method": "fork"},
    "forked processes of threads": {"num_workers": 2, "start_method": "fork", "worker_threads": 2},
}
each_kind = pytest.mark.parametrize("kind", KINDS)
# Where failures are ends of worker processes; each environment has one of its own.
KILLED = "killed processes"


class Failing(gymnasium.Env[Any, Any]):
    """Fails in each second step of an episode, if it is told to."""

    observation_space = spaces.Box(-np.inf, np.inf, (), np.float32)
    action_space = spaces.Discrete(2**31 - 1)

    def __init__(self, fails: bool, is_killed: bool) -> None:
        self.fails = fails
        self.is_killed = is_killed

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.steps = 0
        return np.float32(0), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        if self.fails and self.steps == 2:
            if self.is_killed:
                os.kill(os.getpid(), signal.SIGKILL)
            raise RuntimeError("failed on purpose in step")
        return np.float32(self.steps), 1.0, False, False, {}


def cartpoles(kind: str, num_envs: int = 4, env_type: str = "gymnasium", **options: Any) -> Any:
    """A pool of CartPoles."""
    of_python = KINDS[kind]
    if of_python is not None:
        given = {"snapshots": "pickle"} | of_python | options
        return envpool.make_python("CartPole-v1", env_type, num_envs=num_envs, **given)
    if kind == "several tasks":
        tasks = {"CartPole-v1": num_envs - 1, "CartPole-v0": 1}
        return envpool.make_multi(tasks, env_type, num_threads=2, **options)
    return make("CartPole-v1", num_envs, env_type, **options)


def failing(kind: str, places: list[bool], env_type: str = "gymnasium", **options: Any) -> Any:
    """A pool some of whose environments fail in the second step of each episode."""
    is_killed = kind == KILLED
    own = {"num_workers": len(places), "start_method": "fork"}
    of_python = own if is_killed else KINDS[kind]
    if of_python is not None:
        factories = [functools.partial(Failing, fails, is_killed) for fails in places]
        return envpool.make_python(factories, env_type, **of_python, **options)
    options["place"] = ["step" if fails else "never" for fails in places]
    if kind == "several tasks":
        return envpool.make_multi(["testing/Failing-v0"] * len(places), env_type, **options)
    return make("testing/Failing-v0", len(places), env_type, **options)


def assert_same(ours: Any, theirs: Any) -> None:
    """The same results, but for the info that only pools of several tasks have."""
    for result in (ours, theirs):
        result[-1].pop("task", None)
    assert_same_results(ours, theirs)
