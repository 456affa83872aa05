"""Meta-World: 50 tasks of a robot's arm on a table.

The classes are made when one of them is asked for, which raises an ImportError without the versions
of MuJoCo and metaworld that they follow.
"""

from __future__ import annotations

from typing import Any

from envpool.errors import install
from envpool.families.mujoco.engine import installed, library_of, load_engine
from envpool.tasks.export import lazy_export

VERSION = "3.1.1"  # others have other models
# pip refuses to install it beside the MuJoCo that we need: it asks for another one.
COMMAND = f"{install('metaworld')}; pip install --no-deps metaworld=={VERSION}"


def load_settings() -> dict[str, Any]:
    """Loads MuJoCo's library, and finds the models without importing metaworld.

    Returns:
        The settings of the library of Meta-World's tasks.

    Raises:
        ImportError: MuJoCo or metaworld is not installed, or has another version.
    """
    from envpool.families.numerics import numpy_settings
    from envpool.machine import require_folder

    pinned = f", which metaworld {VERSION} asks for" if installed() == "3.3.0" else ""
    load_engine(__name__, COMMAND, "Meta-World's", pinned)
    folder = require_folder("metaworld", VERSION, "Meta-World's", COMMAND)
    return {"asset_folder": str(folder / "assets" / "sawyer_xyz"), **numpy_settings()}


__getattr__, __dir__ = lazy_export(
    lambda: library_of(__name__, "metaworld"),
    __name__,
    "envpool.families.metaworld.spec:SawyerEnvSpec",
    infos="envpool.families.metaworld.spec",
    get_settings=load_settings,
)
