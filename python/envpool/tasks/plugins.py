"""Packages that bring tasks, by entry points of the group ``envpool.envs``.

The entry point of a package names a callable without arguments that registers its tasks:

    [project.entry-points."envpool.envs"]
    walkenv = "walkenv.registration:register_tasks"

They are called once, when somebody asks for more than the tasks that are known: for another id, for
a list of all tasks, or for what Gymnasium's registry needs.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from envpool.errors import described
from envpool.forks import loading_plugins

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "envpool.envs"

# How long a thread that imports something waits for another one to load the plugins, which may wait
# for that very import.
_PATIENCE_S = 5.0


class _Plugins:
    """The plugins of the process.

    Attributes:
        pending: Those that are still to be loaded; None: nobody has looked for them yet.
        loader: The thread that loads them.
    """

    def __init__(self) -> None:
        self.pending: list[EntryPoint] | None = None
        self.loader: int | None = None


_plugins = _Plugins()


def load_plugins() -> None:
    """Lets all installed packages register their tasks, if they have not done so yet.

    A package that fails to is one warning, and nothing else notices.
    """
    if _plugins.pending == [] or _plugins.loader == threading.get_ident():
        return  # the latter: a plugin has called this while it is loaded
    if not loading_plugins.acquire(_PATIENCE_S if _is_importing() else -1):
        return  # its tasks come as soon as the other thread goes on
    _plugins.loader = threading.get_ident()
    try:
        _load_pending()
    finally:
        _plugins.loader = None
        loading_plugins.release()


def leave_plugins_out() -> None:
    """Has this process do without the tasks of other packages, for who must not crash with them."""
    _plugins.pending = []


def _load_pending() -> None:
    if _plugins.pending is None:
        _plugins.pending = _find()
    for plugin in list(_plugins.pending):
        failure = _load(plugin)  # Ctrl-C may end it, and then it is tried again
        if failure and _is_early(plugin):
            continue
        _plugins.pending.remove(plugin)
        if failure:
            warnings.warn(_description(plugin, failure), stacklevel=4)


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
            stacklevel=5,
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


def _is_importing() -> bool:
    """Is this thread in the middle of an import?"""
    return any(frame.f_code.co_filename.startswith("<frozen importlib") for frame in _frames())


def _is_early(plugin: EntryPoint) -> bool:
    """Is it too early for the plugin, because its own package or Gymnasium is half imported?

    It is when the package itself imports Gymnasium, and that loads the plugins at its end. Versions
    before 1.0 do so before their end.
    """
    packages = (plugin.module.partition(".")[0], "gymnasium")
    return any(
        frame.f_code.co_name == "<module>"
        and str(frame.f_globals.get("__name__")).partition(".")[0] in packages
        for frame in _frames()
    )


def _frames() -> Iterator[FrameType]:
    """The calls that this thread is in."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back
