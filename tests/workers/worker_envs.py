"""Environments of tests, which do what they are told."""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class CustomError(Exception):
    """With a constructor of its own, as many exceptions have that unpickle badly."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


class Counter(gymnasium.Env):
    """Observes the number of its steps, and does what its commands say before some of them.

    Args:
        length: Of an episode.
        commands: What is done in a step, by its number; in a reset, for number 0.
    """

    metadata = {"render_modes": ["rgb_array"], "tag": "counter"}  # noqa: RUF012
    render_mode = "rgb_array"

    def __init__(self, length: int = 5, **commands: Callable[[], Any]) -> None:
        self.observation_space = spaces.Box(-1e9, 1e9, (2,), np.float64)
        self.action_space = spaces.Box(-10.0, 10.0, (), np.float64)
        self.length = length
        self.commands = commands
        self.steps = 0
        self.resets = 0
        self.seed = -1

    def obey(self, when: str) -> None:
        if when in self.commands:
            self.commands[when]()

    def reset(self, *, seed=None, options=None):
        self.seed = -1 if seed is None else seed
        self.steps = 0
        self.resets += 1
        self.obey("reset")
        if options and "command" in options:
            options["command"]()
        return np.array([self.steps, self.seed], float), {}

    def step(self, action):
        self.steps += 1
        self.obey("step")
        if action < 0:
            self.obey(f"act{-int(action)}")
        is_over = self.steps >= self.length
        observation = np.array([self.steps, self.seed], float)
        return observation, float(action), is_over, False, {"double": 2 * self.steps}

    def render(self):
        self.obey("render")
        return np.full((2, 2, 3), self.steps, np.uint8)

    def double(self, number, plus=0):
        self.obey("call")
        return 2 * number + plus

    def close(self):
        self.obey("close")


class Telling(Counter):
    """Tells in which process it is, and has a state."""

    def pid(self) -> int:
        return os.getpid()

    def get_state(self) -> int:
        self.obey("get_state")
        return self.steps

    def set_state(self, state: int) -> None:
        self.obey("set_state")
        self.steps = state


def fail() -> None:
    raise ZeroDivisionError("told to")


def fail_oddly() -> None:
    raise CustomError(1, 2)


def leave() -> None:
    raise SystemExit(3)


def interrupt() -> None:
    raise KeyboardInterrupt


def press_ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def exit_at_once() -> None:
    os._exit(7)


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def crash() -> None:
    faulthandler.disable()  # pytest's would tell of it
    signal.raise_signal(signal.SIGSEGV)


def hang() -> None:
    time.sleep(1000)


def nap() -> None:
    time.sleep(0.05)


def made_once(marker: Path) -> Counter:
    """Makes one that ends its process when it is told to, unless there is a file already."""
    assert not marker.exists(), "only once"
    return Counter(act1=kill_itself)
