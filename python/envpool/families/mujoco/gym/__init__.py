"""Gymnasium's MuJoCo environments: Ant, HalfCheetah, Hopper, Humanoid, Walker2d and others.

The classes are made when one of them is asked for, which raises an ImportError without the version
of MuJoCo that they are built for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from envpool.tasks.export import lazy_export

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec

_LIBRARY = "envpool.families.mujoco.gym._mujoco_gym"


def _prepare() -> type[EnvSpec]:
    from envpool.families.mujoco.engine import load_engine, set_asset_folder
    from envpool.families.mujoco.spec import MujocoEnvSpec

    load_engine()
    set_asset_folder(_LIBRARY)
    return MujocoEnvSpec


__getattr__, __dir__ = lazy_export(
    _LIBRARY, __name__, _prepare, infos="envpool.families.mujoco.gym.infos"
)
