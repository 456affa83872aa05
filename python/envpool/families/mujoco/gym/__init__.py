"""Gymnasium's MuJoCo environments: Ant, HalfCheetah, Hopper, Humanoid, Walker2d and others.

The classes are made when one of them is asked for, which raises an ImportError without the version
of MuJoCo that they are built for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from envpool.tasks.export import lazy_export

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec


def _settings() -> dict[str, str]:
    from envpool.families.mujoco.settings import load_engine

    return load_engine()


def _spec_base() -> type[EnvSpec]:
    from envpool.families.mujoco.spec import MujocoEnvSpec  # which loads the native core

    return MujocoEnvSpec


__getattr__, __dir__ = lazy_export(
    "envpool.families.mujoco.gym._mujoco_gym",
    __name__,
    _spec_base,
    infos="envpool.families.mujoco.gym.infos",
    get_settings=_settings,
)
