"""Finds MuJoCo's native library, which comes with the package ``mujoco``, and what else we need."""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path

from envpool.errors import install
from envpool.families.mujoco.numpy_dot import numpy_dot

VERSION = "3.17.0"  # what third_party/mujoco.cmake builds against: each version has its own layouts


def load_engine(command: str = "") -> dict[str, str]:
    """Loads MuJoCo's library, so that our libraries that need it find it by its name.

    Args:
        command: What installs it and whatever else a family needs, for the message.

    Returns:
        The settings of the library of Gymnasium's environments.

    Raises:
        ImportError: The package is not installed, or has another version.
    """
    folder = folder_of("mujoco")
    library = folder / f"libmujoco.so.{VERSION}" if folder else None
    if library is None or not library.exists():
        raise ImportError(
            f"MuJoCo's tasks need mujoco=={VERSION}, {_what_is_there(folder)}: "
            f"{command or install('mujoco')}"
        )
    ctypes.CDLL(str(library))
    return {"asset_folder": _asset_folder(), "numpy_dot": numpy_dot()}


def _asset_folder() -> str:
    """Where Gymnasium's models are."""
    gymnasium = folder_of("gymnasium")
    return str(gymnasium / "envs" / "mujoco" / "assets") if gymnasium else ""


def folder_of(package: str) -> Path | None:
    """Where a package is, without importing it."""
    found = importlib.util.find_spec(package)
    locations = found.submodule_search_locations if found else None
    return Path(next(iter(locations))) if locations else None


def require_folder(package: str, needed: str, tasks: str, command: str) -> Path:
    """Where a package is that has to have one version, without importing it.

    Args:
        package: As it is named where it is installed from.
        needed: The version.
        tasks: Whose tasks need it, for the message.
        command: What installs it, likewise.

    Raises:
        ImportError: It is not installed, or has another version.
    """
    from importlib.metadata import PackageNotFoundError, version

    folder = folder_of(package.replace("-", "_"))
    try:
        found = version(package)
    except PackageNotFoundError:
        found = ""
    if folder is None or found != needed:
        there = f"and {found} is installed" if found else "which is not installed"
        raise ImportError(f"{tasks} tasks need {package}=={needed}, {there}: {command}")
    return folder


def _what_is_there(folder: Path | None) -> str:
    libraries = sorted(folder.glob("libmujoco.so.*")) if folder else []
    if not libraries:
        return "which is not installed"
    versions = ", ".join(library.name.removeprefix("libmujoco.so.") for library in libraries)
    return f"and {versions} is installed"
