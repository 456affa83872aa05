"""The tasks of dm_control's suite: walker, cheetah, humanoid and others.

The classes are made when one of them is asked for, which raises an ImportError without the versions
of MuJoCo and dm_control that they follow.
"""

from __future__ import annotations

import sys
from typing import Any

from envpool.errors import install
from envpool.families.mujoco.engine import installed, library_of, load_engine
from envpool.tasks.export import lazy_export

VERSION = "1.0.50"  # others have other models


def load_settings() -> dict[str, Any]:
    """Loads MuJoCo's library, and finds the models without importing dm_control.

    Returns:
        The settings of the library of dm_control's tasks.

    Raises:
        ImportError: MuJoCo or dm_control is not installed, or has another version.
    """
    from envpool.families.numerics import numpy_settings
    from envpool.machine import require_folder

    runs = installed().startswith("3.")
    others = "" if runs else f", with which dm_control {VERSION} itself does not run"
    load_engine(__name__, _engine_command(), "dm_control's", others)
    folder = require_folder("dm_control", VERSION, "dm_control's", _command())
    return {"suite_folder": str(folder / "suite"), **numpy_settings()}


def _engine_command() -> str:
    """Returns the command that installs MuJoCo, and dm_control with it if that is possible."""
    if sys.version_info < (3, 13):
        return install("dm-control")
    return 'pip install "mujoco<4"'


def _command() -> str:
    """Returns the command that installs it."""
    if sys.version_info < (3, 13):
        return install("dm-control")
    # What else it needs, and we do not, has no wheels there.
    return f"pip install --no-deps dm_control=={VERSION}"


__getattr__, __dir__ = lazy_export(
    lambda: library_of(__name__, "dm_control"),
    __name__,
    "envpool.families.dm_control.spec:SuiteEnvSpec",
    get_settings=load_settings,
)
