"""What the native library has to be told: where the models are, and how NumPy computes."""

from __future__ import annotations

from typing import Any

from envpool.errors import install
from envpool.families.mujoco.engine import load_engine, require_folder
from envpool.families.mujoco.numerics import numpy_settings

VERSION = "1.4.2"  # others have other models


def load_settings() -> dict[str, Any]:
    """Loads MuJoCo's library, and finds the models without importing gymnasium_robotics.

    Returns:
        The settings of the library of Gymnasium-Robotics' tasks.

    Raises:
        ImportError: MuJoCo or gymnasium-robotics is not installed, or has another version.
    """
    gymnasium_folder = load_engine(install("robotics"))["asset_folder"]
    folder = require_folder(
        "gymnasium-robotics", VERSION, "Gymnasium-Robotics'", install("robotics")
    )
    return {
        "asset_folder": str(folder / "envs" / "assets"),
        "ant_file": f"{gymnasium_folder}/ant.xml",
        **numpy_settings(),
    }
