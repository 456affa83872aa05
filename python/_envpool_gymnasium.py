"""Registers envpool's tasks with Gymnasium at the end of ``import gymnasium``.

Before 1.0 Gymnasium loads entry points, and so ``gymnasium.make_vec("envpool/CartPole-v1")`` finds
the task though nobody has imported envpool. Later versions don't load them, and need this file:
``_envpool_gymnasium.pth``, beside it in site-packages, makes every interpreter import it at its
start. So it imports nothing else then, and never raises.

The form that works without it is ``gymnasium.make_vec("envpool:envpool/CartPole-v1")``.
"""

import sys

TYPE_CHECKING = False  # typing's own would be an import
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


class _GymnasiumFinder:
    """Stands before the other finders until Gymnasium is imported. Finds nothing itself."""

    def find_spec(
        self, name: str, path: "Any" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """For Gymnasium, what the other finders find, with a loader that registers our tasks."""
        if name != "gymnasium":
            return None
        for finder in sys.meta_path:
            find_spec = getattr(finder, "find_spec", None)  # old finders have find_module
            if finder is self or find_spec is None:
                continue
            spec: ModuleSpec | None = find_spec(name, path, target)
            if spec is not None:
                self._watch(spec.loader)
                return spec
        return None

    def _watch(self, loader: "Any") -> None:
        """Covers the loader's exec_module, for one call.

        A loader of our own in its place would stay behind as ``gymnasium.__loader__``, which
        importlib.resources, for one, asks for more than the execution.
        """

        def exec_module(module: "ModuleType") -> None:
            vars(loader).pop("exec_module", None)  # uncovers the class's
            loader.exec_module(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            _register_tasks()

        try:  # noqa: SIM105 - contextlib would be an import
            loader.exec_module = exec_module
        except AttributeError:
            pass  # no loader, or one that takes no attributes


def _register_tasks() -> None:
    try:
        from envpool.tasks.gymnasium_plugin import register_tasks

        register_tasks()
    except Exception as error:
        # Of an envpool that was removed, when this file was not, or of some other gymnasium.
        missing = ("envpool", "envpool.tasks", "envpool.tasks.gymnasium_plugin", "gymnasium.envs")
        if isinstance(error, ModuleNotFoundError) and error.name in missing:
            return
        import warnings

        warnings.warn(f"envpool's tasks are not in Gymnasium's registry: {error!r}", stacklevel=3)


sys.meta_path.insert(0, _GymnasiumFinder())
