"""Packages that bring tasks, by entry points of the group ``envpool.envs``.

The entry point of a package names a callable without arguments that registers its tasks:

    [project.entry-points."envpool.envs"]
    walkenv = "walkenv.registration:register_tasks"

They are called once, when somebody asks envpool for an unknown id or for all tasks. Gymnasium asks
nobody: it finds tasks of packages that register them when they are imported, or that have been
loaded here.
"""

from __future__ import annotations

import threading
import warnings
from typing import TYPE_CHECKING

from envpool.errors import described

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "envpool.envs"

_lock = threading.RLock()  # a thread may come again: a plugin may ask for all tasks
_pending: list[EntryPoint] | None = None  # the plugins to be loaded; None: nobody has looked


def load_plugins() -> None:
    """Lets all installed packages register their tasks, if they have not done so yet.

    A package that fails to is one warning, and nothing else notices.
    """
    global _pending  # noqa: PLW0603 - it is about the process
    with _lock:
        if _pending is None:
            _pending = _find()
        while _pending:
            plugin = _pending.pop(0)  # before it is loaded, because it may ask for all tasks
            try:
                _load(plugin)
            except (Exception, SystemExit) as failure:
                warnings.warn(_description(plugin, failure), stacklevel=3)
            except BaseException:  # Ctrl-C: it is tried again
                _pending.append(plugin)
                raise


def _find() -> list[EntryPoint]:
    from importlib.metadata import entry_points  # which takes a tenth of `import gymnasium`

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


def _load(plugin: EntryPoint) -> None:
    register_tasks = plugin.load()
    if not callable(register_tasks):
        kind = type(register_tasks).__name__
        raise TypeError(f"{plugin.value} is a {kind}, expected a callable without arguments")
    register_tasks()


def _description(plugin: EntryPoint, failure: BaseException) -> str:
    package = f"{plugin.dist.name} {plugin.dist.version}" if plugin.dist else "?"
    return (
        f"the plugin {plugin.name!r} ({plugin.value}) of the package {package} does not load, and "
        f"tasks of it are missing: {described(failure)}. Repair that package, or uninstall it"
    )
