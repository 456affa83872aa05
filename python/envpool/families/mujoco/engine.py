"""MuJoCo's library: the versions that our libraries are built for, and the one that is installed.

Each version has its own SONAME and struct layouts, so there is a library of ours for each of them.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from contextlib import suppress
from pathlib import Path

from envpool.errors import install, no_library
from envpool.machine import folder_of, installed_version, require_whole

GYM = "envpool.families.mujoco.gym"
_OURS = re.compile(r"_\w+_(\d+)_(\d+)_(\d+)\.so")
# Before another version is installed: pip would mix up their files.
REMOVE = "pip uninstall -y mujoco mujoco-core mujoco-studio"


def file_of(version: str) -> str:
    """The name of the file that MuJoCo's library has on this system.

    Args:
        version: Such as ``4.0.0``.
    """
    return f"libmujoco.{version}.dylib" if sys.platform == "darwin" else f"libmujoco.so.{version}"


def built_for(family: str = GYM) -> list[str]:
    """The versions of MuJoCo that a family is built for, from the oldest.

    Args:
        family: Its package.
    """
    spec = importlib.util.find_spec(family)
    # Where the package is installed with -e, its libraries are not beside its files of Python.
    folders = spec.submodule_search_locations or [] if spec else []
    names = {path.name for folder in folders for path in Path(folder).glob("_*.so")}
    found = [tuple(map(int, match.groups())) for name in names if (match := _OURS.fullmatch(name))]
    return [".".join(map(str, version)) for version in sorted(found)]


def installed() -> str:
    """The version of MuJoCo that is installed; empty if none is.

    pip leaves the library of version 4 where an earlier version is installed over it.
    """
    folder = folder_of("mujoco")
    names = [path.name for path in folder.glob(file_of("*"))] if folder else []
    before, after = file_of("*").split("*")
    there = [name.removeprefix(before).removesuffix(after) for name in names]
    said = installed_version("mujoco")
    return said if said in there or not there else there[0]


def library_of(family: str, name: str) -> str:
    """The dotted name of a family's library for the MuJoCo that is installed.

    Args:
        family: The family's package.
        name: The library's, without the version.
    """
    return f"{family}._{name}_{installed().replace('.', '_')}"


def load_library(family: str, command: str, tasks: str, others: str) -> None:
    """Loads MuJoCo's library, so that our libraries that need it find it by its name.

    Args:
        family: The package of the family that needs it.
        command: What installs it and whatever else that family needs, for the message.
        tasks: Whose tasks need it, likewise.
        others: What is to be said of the version that is installed instead, likewise.

    Raises:
        ImportError: The package is not installed, or the family is not built for its version.
    """
    import ctypes  # not by `import envpool`: isolated subinterpreters of Python 3.12 have none

    built, found, folder = built_for(family), installed(), folder_of("mujoco")
    if not built:
        raise ImportError(no_library(family))
    if folder is None or found not in built:
        there = "which is not installed"
        if found:
            there = f"and {found} is installed{others}"
            command = f"{REMOVE}; {command}"
        raise ImportError(f"{tasks} tasks need mujoco=={' or '.join(built)}, {there}: {command}")
    library = folder / file_of(found)
    require_whole(library)
    # Mesa, which draws the first picture, may make its LLVM's names known to all libraries. Triton,
    # PyTorch's compiler, has an LLVM of its own: loaded after Mesa, it would find Mesa's and crash,
    # also here, where a window has loaded Mesa already.
    triton = folder_of("triton")
    if triton is not None and (compiler := triton / "_C" / "libtriton.so").exists():
        with suppress(OSError):
            if b"libLLVM" not in Path("/proc/self/maps").read_bytes():
                ctypes.CDLL(str(compiler))
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        raise ImportError(
            f"MuJoCo's library does not load: {error}: {REMOVE}; {command}"
        ) from error


def load_engine(
    family: str = GYM, command: str = "", tasks: str = "MuJoCo's", others: str = ""
) -> dict[str, str]:
    """Loads MuJoCo's library for a family of ours.

    Args:
        family: See :func:`load_library`, also for the others.
        command: By default what installs MuJoCo.
        tasks: By default those of all.
        others: By default nothing.

    Returns:
        The settings of the library of Gymnasium's environments.

    Raises:
        ImportError: The package is not installed, or the family is not built for its version.
    """
    from envpool.families.numerics import numpy_settings

    load_library(family, command or install("mujoco"), tasks, others)
    gymnasium = folder_of("gymnasium")
    assets = str(gymnasium / "envs" / "mujoco" / "assets") if gymnasium else ""
    return {"asset_folder": assets, **numpy_settings()}
