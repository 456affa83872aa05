"""The environments made for tests once more, as plain Gymnasium environments: the oracle."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

INT32 = np.iinfo(np.int32)


class Counting(gymnasium.Env):
    """See cpp/envs/testing/counting.cpp."""

    metadata = {"render_modes": []}  # noqa: RUF012 - as Gymnasium's own
    observation_space = spaces.Box(0, INT32.max, (1,), np.int32)
    action_space = spaces.Discrete(1000)

    def __init__(self, episode_length: int = 10) -> None:
        self.episode_length = episode_length
        self.episode = 0

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        super().reset(seed=seed)
        self.count = (options or {}).get("start", 0)
        self.episode += 1
        return np.array([self.count], np.int32), {"episode": self.episode}

    def step(self, action: Any) -> Any:
        self.count += 1
        obs, info = np.array([self.count], np.int32), {"episode": self.episode}
        return obs, float(action), self.count >= self.episode_length, False, info


class Picture(gymnasium.Env):
    """See cpp/envs/testing/picture.cpp."""

    metadata = {"render_modes": []}  # noqa: RUF012
    observation_space = spaces.Box(0, 255, (12, 16, 3), np.uint8)
    action_space = spaces.Discrete(4)

    def __init__(self, episode_length: int = 5) -> None:
        self.episode_length = episode_length

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        super().reset(seed=seed)
        self.shade = int(self.np_random.integers(256))
        self.count = 0
        return self._observe(0)

    def step(self, action: Any) -> Any:
        self.count += 1
        obs, info = self._observe(int(action))
        return obs, int(action) + 1.0 / self.count, self.count >= self.episode_length, False, info

    def _observe(self, action: int) -> Any:
        y, x, channel = np.indices(self.observation_space.shape)
        pixels = self.shade + 7 * self.count + 3 * y + 5 * x + (1 + action) * 11 * channel
        obs = (pixels % 256).astype(np.uint8)
        frame = {"shade": self.shade, "corner": obs[-1, -1].copy()}
        return obs, {"brightness": obs.sum() / obs.size, "frame": frame}


class Structured(gymnasium.Env):
    """See cpp/envs/testing/structured.cpp."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, as_tuple: bool = False) -> None:
        force = spaces.Box(-1.0, 1.0, (2, 2), np.float64)
        gear = spaces.Discrete(5, start=-1)
        lamps = spaces.MultiBinary(3)
        dials = spaces.MultiDiscrete([2, 9])
        space: spaces.Space = spaces.Tuple((force, gear, lamps, dials))
        if not as_tuple:
            body = spaces.Dict({"force": force, "gear": gear})
            space = spaces.Dict({"body": body, "lamps": lamps, "dials": dials})
        self.observation_space = self.action_space = space

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        super().reset(seed=seed)
        force = np.array([self.np_random.uniform(-1.0, 1.0) for _ in range(4)]).reshape(2, 2)
        gear, lamps, dials = 0, np.zeros(3, np.int8), np.zeros(2, np.int64)
        if isinstance(self.observation_space, spaces.Tuple):
            return (force, gear, lamps, dials), {}
        return {"body": {"force": force, "gear": gear}, "dials": dials, "lamps": lamps}, {}

    def step(self, action: Any) -> Any:
        if isinstance(action, tuple):
            force, gear, lamps, dials = copy.deepcopy(action)
            return (force, int(gear), lamps, dials), float(force[0, 0]), False, False, {}
        obs = copy.deepcopy(action)
        obs["body"]["gear"] = int(obs["body"]["gear"])
        return obs, float(obs["body"]["force"][0, 0]), False, False, {}


class Lives(gymnasium.Env):
    """See cpp/envs/testing/lives.cpp.

    Attributes:
        can_continue: Does the next reset go on with the game, after the loss of a life?
    """

    metadata = {"render_modes": []}  # noqa: RUF012
    observation_space = spaces.Box(0, np.iinfo(np.int64).max, (6,), np.int64)
    action_space = spaces.Discrete(1000)

    def __init__(self, lives: int = 3, life_length: int = 2) -> None:
        self.most_lives = lives
        self.life_length = life_length
        self.can_continue = False

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        super().reset(seed=seed)
        if seed is not None:
            self._np_random = np.random.default_rng(seed + 1000)
            self.seed = seed % 1000
            self.game = 0
            self.can_continue = False
        if self.can_continue:
            self.life += 1
            self.count = 0
        else:
            self.game += 1
            self.life = 1
            self.lives = self.most_lives
            self.count = (options or {}).get("start", 0)
        self.can_continue = False
        self.drawn = int(self.np_random.integers(1000))
        return self._observe()

    def step(self, action: Any) -> Any:
        self.count += 1
        is_lost = self.count >= self.life_length
        self.lives -= is_lost
        self.can_continue = is_lost and self.lives > 0
        obs, info = self._observe()
        return obs, float(action), is_lost, False, info

    def _observe(self) -> Any:
        row = (self.game, self.life, self.count, self.lives, self.seed, self.drawn)
        return np.array(row, np.int64), {"lives": self.lives, "game": self.game}
