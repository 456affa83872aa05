"""``python -m envpool new-family``."""

from __future__ import annotations

import importlib.util
import keyword
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

import envpool
from envpool.cli.console import FAILURE, WRONG_USAGE, fail, make_console
from envpool.errors import shown

# The package that is copied, whose name is replaced wherever it stands.
_EXAMPLE = "walkenv"
_LEFTOVERS = {"build", "__pycache__"}  # of those who have installed it

# A distribution's, a module's and a C++ target's name at the same time.
_NAME = re.compile(r"[a-z]([a-z0-9_]*[a-z0-9])?")
_LONGEST_NAME = 64
_OWN_NAMES = {"envpool", "envpool_next", "testing"}


def write_family(
    name: Annotated[
        str, typer.Argument(help="The package's name, such as walkenv.", show_default=False)
    ],
    *,
    into: Annotated[
        Path,
        typer.Option(metavar="FOLDER", file_okay=False, help="Where the package's folder goes."),
    ] = Path(),
) -> None:
    """Write a package with an environment in C++, ready to be installed and changed."""
    problem = name_problem(name)
    if problem:
        fail(f"NAME is {shown(name)}, {problem}", WRONG_USAGE)
    folder = into / name
    try:
        files = write_package(name, folder)
    except FileExistsError:
        fail(f"{folder} exists, and nothing is overwritten: choose another name", FAILURE)
    except OSError as error:
        fail(f"{folder} cannot be written: {error.strerror}", FAILURE)
    console = make_console()
    for file in files:
        console.print(file)
    console.print(f"\nThe C++ is in {folder / 'cpp'}. Install, check and time it:\n")
    path = shlex.quote(os.path.join(os.curdir, folder))  # noqa: PTH118 - Path drops the "./"
    console.print("  pip install scikit-build-core cmake ninja numpy")
    console.print(f"  pip install --no-build-isolation {path}")
    console.print(f"  python -m envpool check {name}/Walk-v0")
    console.print(f"  python -m envpool bench {name}/Walk-v0")


def name_problem(name: str) -> str:
    """Say why a package cannot have this name, or nothing."""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        return (
            f"expected at most {_LONGEST_NAME} lower-case letters, digits and underscores, of "
            "which the first is a letter and the last no underscore"
        )
    taken = (
        (keyword.iskeyword(name), "is a keyword of Python"),
        (name in _OWN_NAMES, "envpool has itself"),
        (
            any(task.startswith(f"{name}/") for task in envpool.list_all_envs()),
            "ids of other tasks begin with",
        ),
        (name in sys.stdlib_module_names or _is_installed(name), "an installed module has"),
    )
    return next((f"which {why}: choose another" for is_taken, why in taken if is_taken), "")


def _is_installed(name: str) -> bool:
    spec = importlib.util.find_spec(name)
    # Any folder that Python sees, as one in the current folder, counts as a module without origin.
    return spec is not None and spec.origin is not None


def write_package(name: str, folder: Path) -> list[Path]:
    """Write all files of the package; nothing, if one cannot be written.

    Args:
        name: The package's.
        folder: Where they go; made here.

    Returns:
        The files.

    Raises:
        FileExistsError: There is something at this place.
        OSError: The system refuses it.

    """
    template = Path(__file__).with_name(_EXAMPLE)
    if not template.exists():  # in a checkout, from which it is installed
        template = Path(__file__).parents[3] / "examples" / _EXAMPLE
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir()
    try:
        return [
            _copy(template, path.relative_to(template), folder, name)
            for path in sorted(template.rglob("*"))
            if path.is_file() and not _LEFTOVERS.intersection(path.relative_to(template).parts)
        ]
    except BaseException:  # Ctrl-C as well
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _copy(template: Path, relative: Path, folder: Path, name: str) -> Path:
    path = folder / str(relative).replace(_EXAMPLE, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((template / relative).read_text("utf-8").replace(_EXAMPLE, name), "utf-8")
    return path
