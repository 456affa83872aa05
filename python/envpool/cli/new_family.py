"""``python -m envpool new-family``."""

from __future__ import annotations

import importlib.util
import keyword
import os
import re
import shlex
from pathlib import Path
from typing import Annotated

import typer

from envpool.cli.console import make_console
from envpool.errors import shown

# The packages that are copied, whose names are replaced wherever they stand; with each, its task,
# and what pip installs to build it.
_TOOLS = "scikit-build-core cmake ninja numpy"
_ROBOT = ("robotenv", "Reach-v0", f'{_TOOLS} "envpool-next[mujoco]"')
_WALK = ("walkenv", "Walk-v0", _TOOLS)
_LEFTOVERS = {"build", "__pycache__"}  # of those who have installed it

# A distribution's, a module's and a C++ target's name at the same time.
_NAME = re.compile(r"[a-z]([a-z0-9_]*[a-z0-9])?")


def write_family(
    name: Annotated[
        str, typer.Argument(help="The package's name, such as walkenv.", show_default=False)
    ],
    *,
    into: Annotated[
        Path,
        typer.Option(metavar="FOLDER", file_okay=False, help="Where the package's folder goes."),
    ] = Path(),
    mujoco: Annotated[bool, typer.Option("--mujoco", help="A robot, in MuJoCo.")] = False,
) -> None:
    """Write a package with an environment in C++, ready to be installed and changed."""
    example, task, requirements = _ROBOT if mujoco else _WALK
    if problem := name_problem(name):
        raise ValueError(f"NAME is {shown(name)}, {problem}")
    folder = into / name
    files = write_package(name, folder, example)
    path = shlex.quote(os.path.join(os.curdir, folder))  # noqa: PTH118 - Path drops the "./"
    make_console().print(
        *files,
        f"\nThe C++ is in {folder / 'cpp'}. Install, check and time it:\n",
        f"  pip install {requirements}",
        f"  pip install --no-build-isolation {path}",
        f"  python -m envpool check {name}/{task}",
        f"  python -m envpool bench {name}/{task}",
        sep="\n",
    )


def name_problem(name: str) -> str:
    """Say why a package cannot have this name, or nothing."""
    if not _NAME.fullmatch(name):
        return (
            "expected lower-case letters, digits and underscores, of which the first is a letter "
            "and the last no underscore"
        )
    spec = importlib.util.find_spec(name)
    # Any folder that Python sees, as one in the current folder, counts as a module without origin.
    is_installed = spec is not None and spec.origin is not None
    if is_installed or keyword.iskeyword(name):
        return "which Python or an installed module has: choose another"
    return ""


def write_package(name: str, folder: Path, example: str) -> list[Path]:
    """Write all files of the package.

    Args:
        name: The package's.
        folder: Where they go; made here.
        example: The name of the package that is copied.

    Returns:
        The files.

    Raises:
        FileExistsError: There is something at this place.
        OSError: The system refuses it.

    """
    template = Path(__file__).with_name(example)
    if not template.exists():  # in a checkout, from which it is installed
        template = Path(__file__).parents[3] / "examples" / example
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir()
    files = []
    for path in sorted(template.rglob("*")):
        relative = path.relative_to(template)
        if path.is_file() and not _LEFTOVERS.intersection(relative.parts):
            files.append(folder / str(relative).replace(example, name))
            files[-1].parent.mkdir(parents=True, exist_ok=True)
            files[-1].write_text(path.read_text("utf-8").replace(example, name), "utf-8")
    return files
