"""The registry of all tasks by name, which are also in Gymnasium's registry."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

from envpool.batched.ids import batched_source

# Its classes load the native core, which only type hints may do before a task is made.
from envpool.compat import protocol
from envpool.errors import ArgumentError, UnknownTaskError, did_you_mean, shown
from envpool.flavours import OLD_GYM, flavour_of, pool_class, with_defaults
from envpool.machine import require_whole
from envpool.tasks.plugins import load_plugins

OURS = "envpool"
DEFAULT = "gymnasium"  # the env_type
# As Gymnasium has them, but for colons: there, what is before one is a module to be imported.
_ID = re.compile(
    r"(?:(?P<namespace>\w[\w-]*)/)?(?P<name>\w[\w.-]*?)(?:-v(?P<version>0|[1-9][0-9]*))?"
)


def package_of(import_path: str) -> str:
    """The package that a task's module is in."""
    return import_path.partition(".")[0]


def gymnasium_id(task_id: str) -> str:
    """Returns a task's id in Gymnasium's registry: ``walk/Walk-v0``, ``envpool/walk-Walk-v0``."""
    return f"{OURS}/" + task_id.replace("/", "-")


def check_id(task_id: str, package: str) -> None:
    """Refuses an id that a task of this package cannot have.

    Args:
        task_id: The id. Like Gymnasium's, ours need neither a namespace nor a version. Those of
            other packages need both: names without a namespace are ours, and a task without a
            version could never be improved.
        package: The package that has the task.

    Raises:
        TypeError: It is no string.
        ArgumentError: It does not follow the pattern.
    """
    if not isinstance(task_id, str):
        raise TypeError(f"a task's id is {shown(task_id)}, expected a str like 'walk/Walk-v0'")
    found = _ID.fullmatch(task_id)
    if found is None:
        raise ArgumentError(
            f"{shown(task_id)} cannot be a task's id, expected namespace/Name-vN, such as "
            "'walk/Walk-v0': of letters, digits, '_' and '-', in the name also '.'"
        )
    for part in ("namespace", "version"):
        if package != OURS and found[part] is None:
            raise ArgumentError(
                f"the id {task_id!r} of the package {package!r} has no {part}, expected "
                "namespace/Name-vN, such as 'walk/Walk-v0'"
            )


class Task(NamedTuple):  # the module of data classes would be a quarter of `import envpool`
    """A registered task: where its classes are, and the options that make it.

    ``gymnasium`` is what its EnvSpec in Gymnasium's registry has otherwise than here.
    """

    import_path: str
    spec_cls: str
    dm_cls: str
    gymnasium_cls: str
    kwargs: dict[str, Any]
    gymnasium: Mapping[str, Any] = MappingProxyType({})

    @property
    def package(self) -> str:
        """The package that brings it."""
        return package_of(self.import_path)

    def __str__(self) -> str:
        options = ", ".join(f"{name}={shown(value)}" for name, value in self.kwargs.items())
        return f"{self.import_path}.{self.spec_cls}({options})"


class PythonTask(NamedTuple):
    """A task whose environments are written in Python: what makes them, and options."""

    source: Any
    kwargs: dict[str, Any]


def class_of(task_id: str, task: Task, name: str) -> Any:
    """One of a task's classes.

    Raises:
        ImportError: Its module does not have it.
    """
    module = importlib.import_module(task.import_path)
    try:
        return getattr(module, name)
    except AttributeError as error:
        raise ImportError(
            f"{task_id} is registered with the class {name}, which does not exist: {error}"
        ) from None


class EnvRegistry:
    """All tasks by name. A family is only imported when one of its tasks is made.

    Attributes:
        tasks: The native tasks by their names.
        python_tasks: Those written in Python, likewise.
    """

    def __init__(self) -> None:
        self.tasks: dict[str, Task] = {}
        self.python_tasks: dict[str, PythonTask] = {}
        self._gymnasium: ModuleType | None = None  # its module of the registry, once we joined it

    def register(
        self,
        task_id: str,
        import_path: str,
        spec_cls: str,
        dm_cls: str,
        gymnasium_cls: str,
        aliases: Iterable[str] = (),
        gymnasium: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Adds a task, also to Gymnasium's registry. This may be repeated.

        Args:
            task_id: Its name, such as ``"CartPole-v1"``. If its module is not one of this package,
                it needs a namespace and a version, as in ``"walk/Walk-v0"``.
            import_path: The module that has its classes.
            spec_cls: The name of its EnvSpec there.
            dm_cls: The name of its dm_env pool there.
            gymnasium_cls: The name of its Gymnasium pool there.
            aliases: Other names for the same task.
            gymnasium: What differs in Gymnasium's registry: ``"reward_threshold"``,
                ``"max_episode_steps"`` and, for tasks of this package only, ``"id"``.
            **kwargs: Values of its options that differ from the defaults.

        Raises:
            TypeError: An id is not a string, or ``aliases`` is a string; or Gymnasium's EnvSpec has
                nothing of a name in ``gymnasium``.
            ArgumentError: A name is not valid, or there is another task of that name (also a
                ValueError).
        """
        if isinstance(aliases, str):
            raise TypeError(f"aliases is {shown(aliases)}, expected a sequence: [{shown(aliases)}]")
        task = Task(import_path, spec_cls, dm_cls, gymnasium_cls, kwargs, gymnasium or {})
        for name in (task_id, *aliases):
            check_id(name, task.package)
        for name in [name for name in (task_id, *aliases) if not self._has(name, task)]:
            self.tasks[name] = task
            self._add_to_gymnasium(name, task)

    def join_gymnasium(self) -> None:
        """Adds all tasks to Gymnasium's registry, and from then on each that is registered.

        If Gymnasium does not load, nothing happens: whoever makes a pool is told why, and the
        doctor works without it.
        """
        try:
            self._gymnasium = importlib.import_module("gymnasium.envs.registration")
        except Exception:  # of a broken NumPy, not always an ImportError
            return
        for name, task in self.tasks.items():
            self._add_to_gymnasium(name, task)

    def _add_to_gymnasium(self, name: str, task: Task) -> None:
        """Adds a task to Gymnasium's registry, unless that has one of this id.

        Gymnasium takes what only the version tells apart for the same task, and the highest version
        for the best. So one of two tasks that have nothing else in common has another id there
        (``task.gymnasium``), though its own id finds it, too.
        """
        if self._gymnasium is None or gymnasium_id(name) in self._gymnasium.registry:
            return
        entries: dict[str, Any] = {
            "id": gymnasium_id(name),
            "reward_threshold": task.kwargs.get("reward_threshold"),
            "max_episode_steps": task.kwargs.get("max_episode_steps"),
        }
        spec = self._gymnasium.EnvSpec(
            entry_point="envpool.tasks.gymnasium_makers:make_single_env",
            vector_entry_point="envpool.tasks.gymnasium_makers:make_vector_env",
            kwargs={"task_id": name},
            **{**entries, **task.gymnasium},
        )
        self._gymnasium.registry[gymnasium_id(name)] = self._gymnasium.registry[spec.id] = spec

    def _has(self, name: str, task: Task | PythonTask) -> bool:
        """True if the name is the task's already, False if it is free."""
        known = self.tasks.get(name) or self.python_tasks.get(name)
        if known is not None and known != task:
            raise ArgumentError(
                f"{task} cannot be registered as {name!r}, because {known} is: choose another id"
            )
        return known is not None

    def register_python(self, task_id: str, source: Any, **kwargs: Any) -> None:
        """Adds a task whose environments are written in Python. Adding it again does nothing.

        Args:
            task_id: Its name, with a namespace and a version, as in ``"walk/Walk-v0"``.
            source: What makes the environments; see :func:`make_python`. A string, such as
                ``"walkenv.walk:Walk-v0"``, is resolved when the task is made.
            **kwargs: Values of options that differ from the defaults.

        Raises:
            TypeError: The name is not a string, or the source cannot make environments.
            ArgumentError: The name is not valid, or there is another task of that name.
        """
        check_id(task_id, "")
        if not isinstance(source, str):  # which needs no Gymnasium yet
            from envpool.workers.factories import require_source

            require_source(source)
        task = PythonTask(source, kwargs)
        if not self._has(task_id, task):
            self.python_tasks[task_id] = task

    def find_batched(self, task_id: str) -> str | None:
        """The source of JAX's environments with this id, unless a task has it; no list has them."""
        is_free = isinstance(task_id, str) and not self._is_known(task_id)
        return batched_source(task_id) if is_free else None

    def find(self, task_id: str) -> Task | PythonTask:
        """The task of this name, or the environments with this id in Gymnasium's registry.

        Raises:
            UnknownTaskError: There is none; the message names the most similar ones.
            ArgumentError: It is one of :meth:`find_batched`.
        """
        if self.find_batched(task_id) is not None:
            raise ArgumentError(
                f"{task_id!r} steps as a batch, which only envpool.make(), make_spec() and "
                "make_batched() know"
            )
        if isinstance(task_id, str) and ":" in task_id:
            return PythonTask(task_id, {})
        if not self._is_known(task_id):
            load_plugins()
        if not self._is_known(task_id):
            hint = did_you_mean(str(task_id), [*self.tasks, *self.python_tasks])
            raise UnknownTaskError(f"there is no task {shown(task_id)}{hint}")
        return self.tasks.get(task_id) or self.python_tasks[task_id]

    def _is_known(self, task_id: Any) -> bool:
        return isinstance(task_id, str) and (task_id in self.tasks or task_id in self.python_tasks)

    def make_spec(self, task_id: str, **kwargs: Any) -> protocol.EnvSpec:
        """See :func:`envpool.make_spec`."""
        return self._make_spec(task_id, with_defaults(DEFAULT, kwargs))

    def _make_spec(self, task_id: str, kwargs: dict[str, Any]) -> protocol.EnvSpec:
        if (source := self.find_batched(task_id)) is not None:
            makers = import_native("envpool.tasks.batched_makers")
            pool = makers.make_batched_pool(source, DEFAULT, kwargs, task_id)
            pool.close()
            made: protocol.EnvSpec = pool.spec
            return made
        task = self.find(task_id)
        if isinstance(task, PythonTask):
            makers = import_native("envpool.tasks.python_makers")
            spec: protocol.EnvSpec = makers.make_python_spec(
                task.source, task.kwargs | kwargs, task_id
            )
            return spec
        spec_cls = class_of(task_id, task, task.spec_cls)
        known = spec_cls.known
        spec = spec_cls.of_options(known.read(task.kwargs) | known.read(kwargs))
        spec.id = task_id
        return spec

    def make(
        self, task_id: str, env_type: str = DEFAULT, *, old_gym: bool | None = None, **kwargs: Any
    ) -> Any:
        """See :func:`envpool.make`."""
        flavour = flavour_of(env_type, old_gym)
        if (source := self.find_batched(task_id)) is not None:
            makers = import_native("envpool.tasks.batched_makers")
            return makers.make_batched_pool(source, flavour, kwargs, task_id)
        task = self.find(task_id)
        if isinstance(task, PythonTask):
            makers = import_native("envpool.tasks.python_makers")
            return makers.make_pool(task.source, flavour, task.kwargs | kwargs, task_id)
        spec = self._make_spec(task_id, with_defaults(flavour, kwargs))
        if flavour == OLD_GYM:
            return pool_class(spec.known.name, task.import_path, flavour)(spec)
        name = task.dm_cls if flavour == "dm" else task.gymnasium_cls
        return class_of(task_id, task, name)(spec)

    def list_all_envs(self) -> list[str]:
        """See :func:`envpool.list_all_envs`."""
        load_plugins()
        return [*self.tasks, *self.python_tasks]


registry = EnvRegistry()  # the process's


def import_native(name: str) -> Any:
    """A module that needs NumPy and the native core, which refuses subinterpreters clearly."""
    if "envpool._core" not in sys.modules:
        if (found := importlib.util.find_spec("envpool._core")) and found.origin:
            require_whole(found.origin)
        importlib.import_module("envpool._core")
    return importlib.import_module(name)
