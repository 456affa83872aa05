"""Environments written in Python that do a known amount of work, to be timed by `run.py`."""

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

LOOPS = "ENVPOOL_BENCHMARK_LOOPS"
"""The environment variable that tells all processes of a run how much work 1 ms of CPU is."""

Array = NDArray[Any]
Factory = Callable[[], gymnasium.Env[Any, Any]]


class Work(gymnasium.Env[Array, np.int64]):
    """Endless; a step calls `work` and returns what CartPole would."""

    observation_space: spaces.Box = spaces.Box(-1.0, 1.0, (4,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._observation: Array = np.zeros(4, np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed)
        return self._observation, {}

    def step(self, action: np.int64) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        self._work()
        return self._observation, 1.0, False, False, {}


class Frames(Work):
    """Shows frames that were drawn beforehand, so that handing them over is all the work."""

    observation_space = spaces.Box(0, 255, (84, 84, 4), np.dtype(np.uint8))

    def __init__(self) -> None:
        super().__init__(self._turn)
        random = np.random.default_rng(0)
        self._drawn = [random.integers(0, 256, (84, 84, 4), np.uint8) for _ in range(4)]
        self._turn()

    def _turn(self) -> None:
        self._drawn.append(self._drawn.pop(0))
        self._observation = self._drawn[0]


def calibrate() -> None:
    """Find how much work takes 1 ms here, for all processes that this one starts."""
    loops = 10_000
    seconds = min(seconds_of(loops) for _ in range(50))
    os.environ[LOOPS] = str(round(loops * 1e-3 / seconds))


def seconds_of(loops: int) -> float:
    start = time.perf_counter()
    compute(loops)
    return time.perf_counter() - start


def compute(loops: int) -> None:
    """So much work of the interpreter, whatever else the machine does meanwhile."""
    value = 1
    for _ in range(loops):
        value = value * 5 % 1009


def busy(milliseconds: float) -> Work:
    return Work(partial(compute, round(int(os.environ[LOOPS]) * milliseconds)))


def sleeping(milliseconds: float) -> Work:
    return Work(partial(time.sleep, milliseconds / 1e3))


def factories(task: str, num_envs: int) -> list[Factory]:
    """What makes the environments of a case: one of these, or a task of Gymnasium's."""
    match task:
        case "0.1 ms of CPU":
            return [partial(busy, 0.1)] * num_envs
        case "1 ms of CPU":
            return [partial(busy, 1)] * num_envs
        case "1 ms of CPU, one sleeps 100 ms":
            return [partial(sleeping, 100), *[partial(busy, 1)] * (num_envs - 1)]
        case "1 ms of sleep":
            return [partial(sleeping, 1)] * num_envs
        case "84x84x4 frames":
            return [Frames] * num_envs
    return [partial(gymnasium.make, task)] * num_envs
