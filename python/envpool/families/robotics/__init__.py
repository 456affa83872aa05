"""Gymnasium-Robotics: PointMaze and other tasks with goals, and hands that manipulate.

The classes are made when one of them is asked for, which raises an ImportError without the versions
of MuJoCo and gymnasium-robotics that they follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envpool.tasks.export import lazy_export

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec


def _settings() -> dict[str, Any]:
    from envpool.families.robotics.settings import load_settings

    return load_settings()


def _spec_base() -> type[EnvSpec]:
    from envpool.families.robotics.spec import RobotEnvSpec  # which loads the native core

    return RobotEnvSpec


__getattr__, __dir__ = lazy_export(
    "envpool.families.robotics._robotics",
    __name__,
    _spec_base,
    infos="envpool.families.robotics.infos",
    get_settings=_settings,
)
