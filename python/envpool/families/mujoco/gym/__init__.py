"""Gymnasium's MuJoCo environments: Ant, HalfCheetah, Hopper, Humanoid, Walker2d and others.

The classes are made when one of them is asked for, which raises an ImportError without the version
of MuJoCo that they are built for.
"""

from __future__ import annotations

from envpool.tasks.export import lazy_export


def _settings() -> dict[str, str]:
    from envpool.families.mujoco.settings import load_engine

    return load_engine()


__getattr__, __dir__ = lazy_export(
    "envpool.families.mujoco.gym._mujoco_gym",
    __name__,
    "envpool.families.mujoco.spec:MujocoEnvSpec",
    infos="envpool.families.mujoco.gym.infos",
    get_settings=_settings,
)
