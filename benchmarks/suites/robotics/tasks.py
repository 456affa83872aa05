"""gymnasium-robotics' own environments, by their ids, which are EnvPool's."""

import enum
import importlib
import types
from typing import Any

import makers


def make(order: makers.Order) -> makers.Make:
    """Gymnasium's vectorised robots."""
    register()
    return makers.gymnasium(order)


def register() -> Any:
    """Gymnasium, which knows them then.

    MuJoCo's enumerations are integers to them: since MuJoCo 3.17 they are not equal to NumPy's
    integers, and most of the environments could not be made.
    """
    gymnasium = importlib.import_module("gymnasium")
    gymnasium.register_envs(importlib.import_module("gymnasium_robotics"))
    utils: Any = importlib.import_module("gymnasium_robotics.utils.mujoco_utils")
    mujoco = types.ModuleType("mujoco")
    for name, value in vars(utils.mujoco).items():
        is_enum = name.startswith("mjt") and hasattr(value, "__members__")
        setattr(mujoco, name, _integers(name, value) if is_enum else value)
    utils.mujoco = mujoco
    return gymnasium


def _integers(name: str, value: Any) -> Any:
    members = [(key, int(member)) for key, member in value.__members__.items()]
    return enum.IntEnum(name, members)
