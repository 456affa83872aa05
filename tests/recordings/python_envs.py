"""Environments written in Python that are recorded."""

from __future__ import annotations

import os
import random
import signal
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

SPACES = {
    "discrete": spaces.Discrete(3, start=-1),
    "box": spaces.Box(-1.0, 1.0, (2,), np.float32),
    "multi_discrete": spaces.MultiDiscrete([3, 2]),
    "multi_binary": spaces.MultiBinary(3),
    "dict": spaces.Dict(
        {"turn": spaces.Discrete(300), "push": spaces.Dict({"x": spaces.Box(-1.0, 1.0, (2,))})}
    ),
    "tuple": spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 9, (2, 2), np.int16)]),
}


def total(action: Any) -> float:
    """The sum of all numbers of an action."""
    if isinstance(action, dict):
        return sum(map(total, action.values()))
    if isinstance(action, tuple):
        return sum(map(total, action))
    return float(np.sum(action))


class Walk(gymnasium.Env):
    """Goes where it is told, on slippery ground.

    Args:
        actions: Which space of them it has.
        limit: How far it goes before its episode ends.
        render_mode: The mode in which it is drawn.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 9}  # noqa: RUF012

    def __init__(self, actions="discrete", limit=3.0, render_mode=None):
        self.observation_space = spaces.Dict({"place": spaces.Box(-np.inf, np.inf, (2,))})
        self.action_space = SPACES[actions]
        self.limit = limit
        self.render_mode = render_mode
        self.place = np.zeros(2)

    def observe(self):
        return {"place": self.place.astype(np.float32)}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.normal(size=2)
        options = options or {}
        self.place += options.get("start", 0.0)
        if "fail" in options:
            raise ValueError("told to")
        return self.observe(), {"begins": True}

    def step(self, action):
        self.place += 0.5 * np.tanh(total(action)) + self.np_random.normal(size=2)
        if abs(self.place[1]) > 6 * self.limit:
            raise ValueError("it fell off")
        reward = float(self.place[0])
        info = {"far": reward} if reward > 1 else {}
        return self.observe(), reward, bool(abs(self.place[0]) > self.limit), False, info

    def render(self):
        return np.full((4, 6, 3), int(abs(self.place[0]) * 50) % 256, np.uint8)

    def get_state(self):
        return self.place

    def set_state(self, state):
        self.place = np.array(state)


class Guess(Walk):
    """Its steps depend on numbers that no seed gives."""

    def step(self, action):
        self.place += random.SystemRandom().random()  # another one also after a fork
        return super().step(action)


class Fuse(Walk):
    """Fails where it was told to, after some steps.

    Args:
        path: A file that is there as long as it does so.
        how: ``"raise"``, or ``"shape"``, to fail by what it observes.
    """

    def __init__(self, path, how):
        super().__init__(limit=1e9)
        self.path = path
        self.how = how
        self.steps = 0

    def step(self, action):
        self.steps += 1
        if self.steps == 5 and os.path.exists(self.path):  # noqa: PTH110 - it is slow to import
            if self.how == "raise":
                raise ValueError("the fuse is there")
            return {"place": np.zeros(3)}, 0.0, False, False, {}
        return super().step(action)


class Tag:
    """Two run; one of them may be gone after some steps."""

    possible_agents = ("a", "b")

    def observation_space(self, agent):
        return spaces.Box(-9, 9, (1,), np.float64)

    def action_space(self, agent):
        return spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.time = 0
        return {agent: self.random.normal(size=1) for agent in self.agents}, {}

    def step(self, actions):
        self.time += 1
        observations = {agent: self.random.normal(size=1) for agent in actions}
        rewards = {agent: float(observations[agent][0] + actions[agent]) for agent in actions}
        gone = {agent: bool(self.random.random() < 0.2) for agent in actions}
        late = {agent: self.time == 9 and not gone[agent] for agent in actions}
        self.agents = [agent for agent in actions if not gone[agent] and not late[agent]]
        return observations, rewards, gone, late, {}


class Brittle(Walk):
    """Fails by chance, which its seed decides, in one of some ten steps."""

    def __init__(self):
        super().__init__(limit=5.0)

    def step(self, action):
        if self.np_random.random() < 0.1:
            self.break_down()
        return super().step(action)

    def break_down(self):
        raise ValueError("brittle")


class Deadly(Brittle):
    """Ends its process instead."""

    def break_down(self):
        os.kill(os.getpid(), signal.SIGKILL)
