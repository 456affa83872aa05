"""Pools of any MuJoCo model: physics in native threads, rewards of whole batches in NumPy.

The classes of environments are made when one of them is asked for, which raises an ImportError
without a version of MuJoCo that they are built for.
"""

from __future__ import annotations

from typing import Any

from envpool.families.mujoco.engine import library_of, load_engine
from envpool.tasks.export import lazy_export


def _settings() -> dict[str, Any]:
    load_engine(__name__)
    return {}  # the library has none of its own


__getattr__, __dir__ = lazy_export(
    lambda: library_of(__name__, "mujoco_model"),
    __name__,
    "envpool.families.mujoco.model.spec:ModelEnvSpec",
    get_settings=_settings,
)
