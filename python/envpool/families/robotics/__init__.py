"""Gymnasium-Robotics: PointMaze and other tasks with goals, and hands that manipulate.

The classes are made when one of them is asked for, which raises an ImportError without the versions
of MuJoCo and gymnasium-robotics that they follow.
"""

from __future__ import annotations

from typing import Any

from envpool.errors import install
from envpool.families.mujoco.engine import library_of, load_engine
from envpool.tasks.export import lazy_export

VERSION = "1.4.2"  # others have other models


def load_settings() -> dict[str, Any]:
    """Loads MuJoCo's library, and finds the models without importing gymnasium_robotics.

    Returns:
        The settings of the library of Gymnasium-Robotics' tasks.

    Raises:
        ImportError: MuJoCo or gymnasium-robotics is not installed, or has another version.
    """
    from envpool.families.numerics import numpy_settings
    from envpool.machine import require_folder

    gymnasium_folder = load_engine(__name__, install("robotics"))["asset_folder"]
    folder = require_folder(
        "gymnasium-robotics", VERSION, "Gymnasium-Robotics'", install("robotics")
    )
    return {
        "asset_folder": str(folder / "envs" / "assets"),
        "ant_file": f"{gymnasium_folder}/ant.xml",
        **numpy_settings(),
    }


__getattr__, __dir__ = lazy_export(
    lambda: library_of(__name__, "robotics"),
    __name__,
    "envpool.families.robotics.spec:RobotEnvSpec",
    infos="envpool.families.robotics.spec",
    get_settings=load_settings,
)
