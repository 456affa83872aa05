"""For packages that bring environments of their own: what their Python side and their build need.

A package ``walkenv`` with a native library ``_walk`` has, in its ``__init__``::

    from envpool.sdk import lazy_export

    from walkenv.registration import register_tasks

    __getattr__, __dir__ = lazy_export("walkenv._walk", __name__)
    register_tasks()

and in ``walkenv/registration.py``, which its entry point of the group ``envpool.envs`` names::

    from envpool.sdk import register_family_task

    def register_tasks():
        register_family_task("walkenv", "walk/Walk-v0", "Walk", max_episode_steps=100)

Importing this module does not load the native core.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from envpool.late import late
from envpool.tasks.export import lazy_export
from envpool.tasks.registration import register_family_task

if TYPE_CHECKING:
    SDK_VERSION: int

__all__ = [
    "SDK_VERSION",
    "get_cmake_dir",
    "get_include",
    "lazy_export",
    "register_family_task",
]


def get_cmake_dir() -> str:
    """The folder of ``envpoolConfig.cmake``, for ``cmake -Denvpool_DIR=...``.

    scikit-build-core finds it by itself, if this package is in ``build-system.requires``.

    Raises:
        ImportError: It is not installed.
    """
    return str(_installed("cmake", "envpoolConfig.cmake"))


def get_include() -> str:
    """The folder of the C++ headers, which are included as ``"envpool/env.h"``.

    Raises:
        ImportError: They are not installed.
    """
    return str(_installed("include", "envpool/env.h"))


def _installed(folder: str, content: str) -> Path:
    # Where CMake has installed them: not beside this file if the installation is editable.
    found = importlib.util.find_spec("envpool.cmake")
    path = Path(found.origin).parent.parent / folder if found and found.origin else None
    if path is None or not (path / content).is_file():
        raise ImportError(
            f"there is no {content} beside {__file__ if path is None else path}: the SDK is "
            "installed along with the package, by pip install envpool-next, or in its sources by "
            "pip install -e ."
        )
    return path


if not TYPE_CHECKING:
    __getattr__ = late(__name__, {"SDK_VERSION": "envpool._core:sdk_version"})
