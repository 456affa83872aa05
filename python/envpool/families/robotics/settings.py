"""What the native library has to be told: where the models are, and how NumPy computes."""

from __future__ import annotations

from typing import Any

from envpool.extras import install
from envpool.families.mujoco.engine import folder_of, load_engine
from envpool.families.mujoco.numerics import numpy_settings

VERSION = "1.4.2"  # others have other models


def load_settings() -> dict[str, Any]:
    """Loads MuJoCo's library, and finds the models without importing gymnasium_robotics.

    Returns:
        The settings of the library of Gymnasium-Robotics' tasks.

    Raises:
        ImportError: MuJoCo or gymnasium-robotics is not installed, or has another version.
    """
    gymnasium_folder = load_engine()["asset_folder"]
    return {
        "asset_folder": _asset_folder(),
        "ant_file": f"{gymnasium_folder}/ant.xml",
        **numpy_settings(),
    }


def _asset_folder() -> str:
    from importlib.metadata import PackageNotFoundError, version

    folder = folder_of("gymnasium_robotics")
    try:
        found = version("gymnasium-robotics")
    except PackageNotFoundError:
        found = ""
    if folder is None or found != VERSION:
        there = f"and {found} is installed" if found else "which is not installed"
        raise ImportError(
            f"Gymnasium-Robotics' tasks need gymnasium-robotics=={VERSION}, {there}: "
            f"{install('robotics')}"
        )
    return str(folder / "envs" / "assets")
