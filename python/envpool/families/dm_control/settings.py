"""What the native library has to be told: where dm_control's models are, and how NumPy computes."""

from __future__ import annotations

import sys
from typing import Any

from envpool.errors import install
from envpool.families.mujoco.engine import load_engine, require_folder
from envpool.families.mujoco.numerics import numpy_settings

VERSION = "1.0.50"  # others have other models


def load_settings() -> dict[str, Any]:
    """Loads MuJoCo's library, and finds the models without importing dm_control.

    Returns:
        The settings of the library of dm_control's tasks.

    Raises:
        ImportError: MuJoCo or dm_control is not installed, or has another version.
    """
    load_engine(_engine_command())
    folder = require_folder("dm_control", VERSION, "dm_control's", _command())
    return {"suite_folder": str(folder / "suite"), **numpy_settings()}


def _engine_command() -> str:
    """What installs MuJoCo, and dm_control with it if that is possible."""
    return install("dm-control" if sys.version_info < (3, 13) else "mujoco")


def _command() -> str:
    """What installs it."""
    if sys.version_info < (3, 13):
        return install("dm-control")
    # What else it needs, and we do not, has no wheels there.
    return f"pip install --no-deps dm_control=={VERSION}"
