"""Finds MuJoCo's native library, which comes with the package ``mujoco``, and loads it."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
from pathlib import Path

VERSION = "3.17.0"  # what third_party/mujoco.cmake builds against: each version has its own layouts


@functools.cache
def load_engine() -> None:
    """Loads MuJoCo's library, so that our libraries that need it find it by its name.

    Raises:
        ImportError: The package is not installed, or has another version.
    """
    folder = _folder_of("mujoco")
    library = folder / f"libmujoco.so.{VERSION}" if folder else None
    if library is None or not library.exists():
        raise ImportError(
            f"MuJoCo's tasks need mujoco=={VERSION}, {_what_is_there(folder)}: "
            'pip install ".[mujoco]"'
        )
    ctypes.CDLL(str(library))


@functools.cache
def set_asset_folder(library: str) -> None:
    """Tells one of our libraries where Gymnasium's models are.

    Args:
        library: Its dotted module name; it must be one that is linked with cpp/envs/mujoco. If it,
            or Gymnasium, is not installed, nothing happens: whoever loads the library reports it.

    Raises:
        OSError: The library does not load.
    """
    found = importlib.util.find_spec(library)
    gymnasium = _folder_of("gymnasium")
    if found is None or found.origin is None or gymnasium is None:
        return
    folder = gymnasium / "envs" / "mujoco" / "assets"
    ctypes.CDLL(found.origin).envpool_mujoco_set_asset_folder(str(folder).encode())


def _folder_of(package: str) -> Path | None:
    """Where a package is, without importing it."""
    found = importlib.util.find_spec(package)
    locations = found.submodule_search_locations if found else None
    return Path(next(iter(locations))) if locations else None


def _what_is_there(folder: Path | None) -> str:
    libraries = sorted(folder.glob("libmujoco.so.*")) if folder else []
    if not libraries:
        return "which is not installed"
    versions = ", ".join(library.name.removeprefix("libmujoco.so.") for library in libraries)
    return f"and {versions} is installed"
