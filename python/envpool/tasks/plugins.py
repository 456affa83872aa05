"""Packages that bring tasks, by entry points of the group ``envpool.envs``.

The entry point of a package names a callable without arguments that registers its tasks:

    [project.entry-points."envpool.envs"]
    walkenv = "walkenv.registration:register_tasks"

They are called once, at the end of ``import envpool``, so that Gymnasium's registry has their
tasks. If a package cannot register them then, because it is itself being imported and imports
envpool, it is called again when somebody asks for an unknown id, or for all tasks.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from importlib.machinery import PathFinder
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from envpool.errors import described

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "envpool.envs"

DOCTOR = ("envpool", "doctor")  # the end of a command line whose process must not crash

_pending: list[EntryPoint] | None = None  # the plugins to be loaded; None: nobody has looked


def is_alone() -> bool:
    """True where envpool must load neither Gymnasium nor plugins before somebody makes a pool.

    The doctor tries in other processes what may crash, and NumPy does not work in subinterpreters.
    """
    names = [os.path.basename(part) for part in sys.orig_argv]  # noqa: PTH119 - any text
    return DOCTOR in pairwise(names) or _is_subinterpreter()


def _is_subinterpreter() -> bool:
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    try:
        interpreters = importlib.import_module(name)
    except ImportError:
        return False
    return bool(interpreters.get_current() != interpreters.get_main())


def load_plugins() -> None:
    """Lets all installed packages register their tasks, if they have not done so yet.

    A package that fails to is one warning, and nothing else notices.
    """
    global _pending  # noqa: PLW0603 - it is about the process
    if _pending is None:
        _pending = [] if is_alone() else _find()
    early = []
    while _pending:
        plugin = _pending.pop(0)  # first, because a plugin may ask for all tasks
        try:
            failure = _load(plugin)
        except BaseException:  # Ctrl-C: it is tried again
            _pending.append(plugin)
            raise
        if failure and _is_being_imported(plugin.module.partition(".")[0]):
            early.append(plugin)
        elif failure:
            warnings.warn(_description(plugin, failure), stacklevel=3)
    _pending += early


def _find() -> list[EntryPoint]:
    if "importlib.metadata" not in sys.modules and not _may_be_any():
        return []
    from importlib.metadata import entry_points

    try:
        found = entry_points(group=GROUP)
    except Exception as error:  # of any package's metadata
        warnings.warn(
            "the tasks of other packages are not available, because the entry points of an "
            f"installed package cannot be read: {described(error)}. Find out which one it is "
            '(python -c "import importlib.metadata as m; m.entry_points()") and install it again',
            stacklevel=4,
        )
        return []
    # In an order that does not depend on the file system.
    return sorted(found, key=lambda plugin: (plugin.name, plugin.value))


def _may_be_any() -> bool:
    """Are there entry points of the group, as far as can be told soon?

    importlib.metadata tells for sure, but its own import takes a tenth of ``import gymnasium``, and
    most people have no plugins.
    """
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    if finders != [PathFinder]:
        return True
    try:
        for folder in map(Path, sys.path):
            if folder.is_file():  # an archive
                return True
            for entry_points in folder.glob("*-info/entry_points.txt"):
                if GROUP.encode() in entry_points.read_bytes():
                    return True
    except OSError:
        return True
    return False


def _load(plugin: EntryPoint) -> BaseException | None:
    """Returns what it raised, if it failed."""
    try:
        register_tasks = plugin.load()
        if not callable(register_tasks):
            kind = type(register_tasks).__name__
            raise TypeError(f"{plugin.value} is a {kind}, expected a callable without arguments")
        register_tasks()
    except (Exception, SystemExit) as error:
        return error
    return None


def _description(plugin: EntryPoint, failure: BaseException) -> str:
    try:
        package = f"{plugin.dist.name} {plugin.dist.version}" if plugin.dist else "?"
    except Exception:  # its metadata may be broken, too
        package = "?"
    return (
        f"the plugin {plugin.name!r} ({plugin.value}) of the package {package} does not load, and "
        f"tasks of it are missing: {described(failure)}. Repair that package, or uninstall it"
    )


def _is_being_imported(package: str) -> bool:
    """True while a package's import is under way, which has led to ours."""
    spec = getattr(sys.modules.get(package), "__spec__", None)
    return bool(getattr(spec, "_initializing", False))
