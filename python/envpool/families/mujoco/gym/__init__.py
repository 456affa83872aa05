"""Gymnasium's MuJoCo environments: Ant, HalfCheetah, Hopper, Humanoid, Walker2d and others.

The classes are made when one of them is asked for, which raises an ImportError without a version of
MuJoCo that they are built for.
"""

from __future__ import annotations

from envpool.families.mujoco.engine import library_of, load_engine
from envpool.tasks.export import lazy_export

__getattr__, __dir__ = lazy_export(
    lambda: library_of(__name__, "mujoco_gym"),
    __name__,
    "envpool.families.mujoco.spec:MujocoEnvSpec",
    infos="envpool.families.mujoco.gym.infos",
    get_settings=load_engine,
)
