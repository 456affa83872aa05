"""Checked: an environment whose observations are compared with its space; for debugging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from envpool.errors import shown
from envpool.workers.worker_side.parallel import ParallelEnvironment


class Checked:
    """Passes for an environment, and raises an exception instead of returning a wrong observation.

    Args:
        environment: The environment.
        space: Of its observations; where there are several agents, of one agent's.
    """

    def __init__(self, environment: Any, space: spaces.Space[Any]) -> None:
        self._environment = environment
        self._space = space
        self._has_agents = isinstance(environment, ParallelEnvironment)

    def reset(self, **arguments: Any) -> Any:
        """Starts an episode; see :meth:`step`."""
        return self._checked("reset", self._environment.reset(**arguments))

    def step(self, action: Any) -> Any:
        """Steps the environment.

        Raises:
            ValueError: The observation is not in the space; the message says what is wrong with it.
        """
        return self._checked("step", self._environment.step(action))

    def _checked(self, method: str, returned: Any) -> Any:
        if self._has_agents:
            for number, observation, *_ in returned[0]:
                agent = self._environment.possible_agents[number]
                require_in(self._space, observation, f"{method}() returned for {agent!r} what")
        elif isinstance(returned, tuple) and returned:  # all else is refused anyway
            require_in(self._space, returned[0], f"{method}() returned what")
        return returned

    def __getattr__(self, name: str) -> Any:
        return getattr(self._environment, name)


def require_in(space: spaces.Space[Any], value: Any, told: str, path: str = "observation") -> None:
    """Refuses what is not in a space.

    Args:
        space: The space.
        value: The observation, or a part of it.
        told: How the message begins.
        path: What it calls the value.

    Raises:
        ValueError: It is not in it.
    """
    parts: Any = None
    if isinstance(space, spaces.Dict) and isinstance(value, Mapping):
        parts = space.spaces if value.keys() == space.spaces.keys() else None
    elif isinstance(space, spaces.Tuple) and isinstance(value, tuple):
        parts = dict(enumerate(space.spaces)) if len(value) == len(space.spaces) else None
    if parts is not None:
        for key, part in parts.items():
            require_in(part, value[key], told, f"{path}[{key!r}]")
        return
    if wrong := _why_not_in(space, value, path):
        raise ValueError(f"{told} is not in the observation space: {wrong}")


def _why_not_in(space: spaces.Space[Any], value: Any, path: str) -> str:
    """What is wrong with it; empty if it is in the space."""
    if not isinstance(space, spaces.Box):
        return "" if space.contains(value) else f"{path} is {shown(value)}, expected {space}"
    has_type = isinstance(value, np.ndarray | np.generic)
    if has_type and value.dtype != space.dtype:
        return f"{path} has dtype {value.dtype}, expected {space.dtype}"
    array = np.asarray(value) if has_type else np.asarray(value, space.dtype)
    if array.shape != space.shape:
        return f"{path} has shape {array.shape}, expected {space.shape}"
    wrong = np.argwhere(~((array >= space.low) & (array <= space.high)))
    if not len(wrong):
        return ""
    index = tuple(map(int, wrong[0]))
    at = f"{path}{list(index) if index else ''}"
    return f"{at} is {array[index]}, expected {space.low[index]} to {space.high[index]}"
