"""Pools of any MuJoCo model: physics in native threads, rewards of whole batches in NumPy.

The classes of environments are made when one of them is asked for, which raises an ImportError
without a version of MuJoCo that they are built for.
"""

from __future__ import annotations

from envpool.families.mujoco.engine import GYM, library_of, load_engine
from envpool.tasks.export import lazy_export

__getattr__, __dir__ = lazy_export(
    lambda: library_of(GYM, "mujoco_gym"),  # which has this environment, too
    __name__,
    "envpool.families.mujoco.model.spec:ModelEnvSpec",
    get_settings=load_engine,
)
