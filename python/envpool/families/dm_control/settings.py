"""What the native library has to be told: where dm_control's models are, and how NumPy computes."""

from __future__ import annotations

import sys
from typing import Any

from envpool.extras import install
from envpool.families.mujoco.engine import folder_of, load_engine
from envpool.families.mujoco.numerics import numpy_settings

VERSION = "1.0.50"  # others have other models


def load_settings() -> dict[str, Any]:
    """Loads MuJoCo's library, and finds the models without importing dm_control.

    Returns:
        The settings of the library of dm_control's tasks.

    Raises:
        ImportError: MuJoCo or dm_control is not installed, or has another version.
    """
    load_engine()
    return {"suite_folder": _suite_folder(), **numpy_settings()}


def _command() -> str:
    """What installs it."""
    if sys.version_info < (3, 13):
        return install("dm-control")
    # What else it needs, and we do not, has no wheels there.
    return f"pip install --no-deps dm_control=={VERSION}"


def _suite_folder() -> str:
    from importlib.metadata import PackageNotFoundError, version

    folder = folder_of("dm_control")
    try:
        found = version("dm_control")
    except PackageNotFoundError:
        found = ""
    if folder is None or found != VERSION:
        there = f"and {found} is installed" if found else "which is not installed"
        raise ImportError(f"dm_control's tasks need dm_control=={VERSION}, {there}: {_command()}")
    return str(folder / "suite")
