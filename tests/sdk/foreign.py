"""Packages of other people, as pip would have installed them, in a folder on the path.

They need no compiler: their native library is that of our environments for tests.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

from helpers import run_python

LAZY_EXPORT = """
    from envpool.sdk import lazy_export
    __getattr__, __dir__ = lazy_export("envpool.families.testing._testing", __name__)
"""
INIT = (
    LAZY_EXPORT
    + """
    from .registration import register_tasks
    register_tasks()
"""
)
REGISTRATION = """
    from envpool.sdk import register_family_task
    def register_tasks():
        register_family_task("walkenv", "walk/Walk-v0", "Counting", max_episode_steps=7)
"""


def install(
    folder: Path, name: str, entry_points: dict[str, str] | str, **modules: str
) -> tuple[Path, Path]:
    """Installs a package.

    Args:
        folder: What stands for site-packages.
        name: The package's, and its distribution's.
        entry_points: Those of the group ``envpool.envs``, or the text of the file of all.
        **modules: Their sources, by name.

    Returns:
        The folders of the package and of its metadata.
    """
    package = folder / name
    package.mkdir(parents=True)
    for module, source in ({"__init__": ""} | modules).items():
        (package / f"{module}.py").write_text(textwrap.dedent(source))
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    if isinstance(entry_points, dict):
        lines = [f"{key} = {value}\n" for key, value in entry_points.items()]
        entry_points = "[envpool.envs]\n" + "".join(lines)
    (metadata / "entry_points.txt").write_text(entry_points)
    return package, metadata


def install_walkenv(folder: Path, **modules: str) -> tuple[Path, Path]:
    """Installs the package ``walkenv``, with the task ``walk/Walk-v0``."""
    modules = {"__init__": INIT, "registration": REGISTRATION} | modules
    return install(folder, "walkenv", {"walkenv": "walkenv.registration:register_tasks"}, **modules)


def run(folder: Path, *parts: str) -> str:
    """Runs Python code where the folder is on the path; returns what it said on stderr."""
    done = run_python("\n".join(map(textwrap.dedent, parts)), PYTHONPATH=str(folder))
    assert done.returncode == 0, done.stderr
    return done.stderr
