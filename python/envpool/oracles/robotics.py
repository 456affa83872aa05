"""gymnasium-robotics, with what it needs to run on a MuJoCo of today."""

from __future__ import annotations

import enum
import logging
import types
from typing import Any

import gymnasium
import numpy as np

import mujoco
from envpool.families.robotics.goals import SIZES
from envpool.oracles.mujoco import picture
from envpool.oracles.upstreams import Oracle

# When it is imported, it logs that Adroit's rewards were changed without a new id.
logging.disable(logging.WARNING)
import gymnasium_robotics  # noqa: E402
from gymnasium_robotics.utils import mujoco_utils  # noqa: E402

logging.disable(logging.NOTSET)


# In EnvPool's order, which is that of the infos.
KITCHEN = tuple(SIZES)


def _with_integer_enums(module: types.ModuleType) -> types.ModuleType:
    """A copy of MuJoCo's module whose enumerations are integers.

    Since MuJoCo 3.17, ``mjtJoint.mjJNT_HINGE == numpy.int32(3)`` is False, and so most of the
    package's environments cannot be made.
    """
    copy = types.ModuleType(module.__name__)
    copy.__dict__.update(module.__dict__)
    for name, value in vars(module).items():
        if name.startswith("mjt") and hasattr(value, "__members__"):
            members = {key: int(member) for key, member in value.__members__.items()}
            setattr(copy, name, enum.IntEnum(name, members))
    return copy


mujoco_utils.mujoco = _with_integer_enums(mujoco)
gymnasium.register_envs(gymnasium_robotics)


def make_theirs(name: str, **kwargs: Any) -> gymnasium.Env[Any, Any]:
    """An environment of gymnasium-robotics.

    Args:
        name: Its id, which is ours, too.
        **kwargs: By its names.
    """
    return gymnasium.make(name, disable_env_checker=True, **kwargs)


class Flags(gymnasium.Wrapper[Any, Any, Any, Any]):
    """FrankaKitchen whose infos are as ours: 1 for each task that the list of names has."""

    def reset(self, **kwargs: Any) -> Any:
        """See Gymnasium."""
        observation, info = self.env.reset(**kwargs)
        return observation, _flags(info)

    def step(self, action: Any) -> Any:
        """See Gymnasium."""
        *result, info = self.env.step(action)
        return *result, _flags(info)


def _flags(info: dict[str, Any]) -> dict[str, Any]:
    """In one order; theirs is another one in resets."""
    return {
        key: np.array([int(task in info[key]) for task in KITCHEN], np.int32)
        for key in ("tasks_to_complete", "step_task_completions", "episode_task_completions")
    }


def robot_of(env: gymnasium.Env[Any, Any]) -> Any:
    """The environment that draws and has the model, which mazes and the kitchen contain.

    Args:
        env: One of :func:`make_theirs`.
    """
    inner = env.unwrapped
    for name in ("point_env", "ant_env", "robot_env"):
        inner = getattr(inner, name, inner)
    return inner


class Environments(Oracle):
    """Robots with goals."""

    drawn_last = ("Fetch", "Hand")

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        env = make_theirs(task_id, **options)
        return Flags(env) if task_id.startswith("FrankaKitchen") else env

    def picture(self, env: gymnasium.Env[Any, Any]) -> Any:
        """See :class:`Oracle`."""
        return picture(robot_of(env))
