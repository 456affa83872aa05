"""highway-env's environments, whose infos have one type and no draws without a seed."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from highway_env.vehicle import behavior

from envpool.oracles.upstreams import Oracle

_IDLE = 1  # of meta-actions; where a reward is that of the action's size, doing nothing is 0
# Upstream's intersections change these of the class, for all environments of the process.
_MANNERS = ("DISTANCE_WANTED", "COMFORT_ACC_MAX", "COMFORT_ACC_MIN")
_USUAL = {name: getattr(behavior.IDMVehicle, name) for name in _MANNERS}


class Plain(gymnasium.Wrapper[Any, Any, Any, Any]):
    """highway-env's environment with infos of fixed types.

    - Resets draw an action, from a generator without a seed, for ``info["action"]`` and for the
      rewards that depend on it. Here it is that of doing nothing.
    - The size of an action is a float64 there if actions are numbers, an empty sum is an integer,
      and whether the vehicle is on the road is a bool of Python's or of NumPy's.
    - ``agents_rewards`` and ``agents_terminated`` are tuples there, and arrays here.
    - ``is_success`` comes last: what some environments of a vector lack comes last there, too.
    - Lane-keeping tells infos only in resets, and here none.
    - Drivers' manners are those of the environment itself, not of the last intersection that was
      made in the process.
    """

    def reset(self, **kwargs: Any) -> Any:
        """See Gymnasium."""
        self._restore_manners()
        observation, info = self.env.reset(**kwargs)
        if "state_noise" in self.unwrapped.config:  # type: ignore[attr-defined]
            return observation, {}
        action: Any = np.zeros(self.action_space.shape or (), np.float32)
        has_size = "lane_centering_cost" in self.unwrapped.config  # type: ignore[attr-defined]
        if isinstance(self.action_space, spaces.Discrete) and not has_size:
            action = _IDLE
        info = self.unwrapped._info(observation, action)  # type: ignore[attr-defined]
        if isinstance(self.action_space, spaces.Discrete):
            info["action"] = np.int64(_IDLE)
        return observation, _typed(info)

    def step(self, action: Any) -> Any:
        """See Gymnasium."""
        self._restore_manners()
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, bool(terminated), bool(truncated), _typed(info)

    def _restore_manners(self) -> None:
        crossing = "initial_vehicle_count" in self.unwrapped.config  # type: ignore[attr-defined]
        values = dict(zip(_MANNERS, (7, 6, -3), strict=True)) if crossing else _USUAL
        drivers = self.unwrapped.config["other_vehicles_type"]  # type: ignore[attr-defined]
        for name, value in values.items():
            setattr(getattr(behavior, drivers.rpartition(".")[2]), name, value)


def _typed(info: dict[str, Any]) -> dict[str, Any]:
    typed = dict(info)
    for name in ("speed", "merging_speed_reward"):
        if name in typed:
            typed[name] = float(typed[name])
    if "action_reward" in typed:
        typed["action_reward"] = np.float32(typed["action_reward"])
    if "rewards" in typed:
        typed["rewards"] = _typed(typed["rewards"])
    for name, dtype in (("agents_rewards", np.float64), ("agents_terminated", np.bool_)):
        if name in typed:
            typed[name] = np.array(typed[name], dtype)
    for name in ("on_road_reward", "is_success"):
        if isinstance(typed.get(name), np.bool_):
            typed[name] = bool(typed[name])
    if "is_success" in typed:  # last, because some resets lack it
        typed["is_success"] = typed.pop("is_success")
    return typed


def make_theirs(task_id: str, **kwargs: Any) -> gymnasium.Env[Any, Any]:
    """An environment of highway-env.

    Args:
        task_id: Its id, which is ours, too.
        **kwargs: By its names.
    """
    return Plain(gymnasium.make(f"highway_env:{task_id}", disable_env_checker=True, **kwargs))


class Environments(Oracle):
    """Driving tasks."""

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        return make_theirs(task_id, **options)

    def lack(self, task_id: str) -> str:
        """See :class:`Oracle`."""
        several = "multi-agent" in task_id
        return "Gymnasium's API has no tasks for several players" if several else ""
