"""Robots of other packages, whose rewards are C++."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from envpool.families.mujoco.engine import built_for, library_of, load_library
from envpool.tasks.export import lazy_export


def export_robots(
    package: str, library: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The classes of a package's robots, made when one of them is asked for.

    A package does ``__getattr__, __dir__ = export_robots(__name__, "reach")``. Its classes raise an
    ImportError where the installed MuJoCo is not the one that it was built for.

    Args:
        package: The package's dotted name; its folder has the library, and models that are named
            without a folder.
        library: The name that ``envpool_add_mujoco_family`` was given.

    Returns:
        The package's ``__getattr__`` and ``__dir__``.
    """

    def get_settings() -> dict[str, str]:
        command = f"pip install mujoco=={' or '.join(built_for(package))}"
        load_library(package, command, f"{package}'s", f", for which {package} was not built")
        return {"asset_folder": str(Path(str(sys.modules[package].__file__)).parent)}

    return lazy_export(
        lambda: library_of(package, library),
        package,
        "envpool.families.mujoco.spec:MujocoEnvSpec",
        get_settings=get_settings,
    )
