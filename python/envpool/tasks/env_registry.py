"""EnvRegistry: all tasks by name."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable
from typing import Any

# Its classes load NumPy, which only type hints may do before a task is made.
from envpool import spec as specs
from envpool.errors import ArgumentError, UnknownTaskError, did_you_mean, shown
from envpool.forks import import_module
from envpool.tasks.ids import OURS, check_id, gymnasium_id, package_of, without_version
from envpool.tasks.old_gym import wants_old_gym
from envpool.tasks.plugins import load_plugins
from envpool.tasks.task import PythonTask, Task

ENV_TYPES = ("gym", "gymnasium", "dm")
DEFAULT = "gymnasium"


@functools.cache  # tasks of a family share most of them
def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"a module's or class's name is {shown(name)}, expected a str")
    if not all(part.isidentifier() for part in name.split(".")):
        raise ArgumentError(f"{shown(name)} cannot be the name of a module or class")


def _check_gymnasium(entries: dict[str, Any], import_path: str) -> None:
    allowed = ["reward_threshold", "max_episode_steps"]
    if package_of(import_path) == OURS:
        allowed.append("id")
    for name in entries:
        if name not in allowed:
            raise ArgumentError(
                f"gymnasium says {shown(name)} of a task of {import_path}, expected one of "
                + ", ".join(allowed)
            )


def _class_of(task_id: str, task: Task, name: str) -> Any:
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

    To Gymnasium, ids that differ only in the version are the same task, so they must belong to one
    package.

    Attributes:
        tasks: The native tasks by their names.
        python_tasks: Those written in Python, likewise.
        listeners: Called with each name and task that is added.
    """

    def __init__(self) -> None:
        self.tasks: dict[str, Task] = {}
        self.python_tasks: dict[str, PythonTask] = {}
        self.listeners: list[Callable[[str, Task], None]] = []
        # By Gymnasium's ids without versions: the package, and the task's own id without a version.
        self._owners: dict[str, tuple[str, str]] = {}

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
        """Adds a task, also to Gymnasium's registry if that is loaded. This may be repeated.

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
            TypeError: A name is not a string, or ``aliases`` is a string.
            ArgumentError: A name is not valid, there is another task of that name, or another
                package has a version of it (also a ValueError).
        """
        if isinstance(aliases, str):
            raise TypeError(f"aliases is {shown(aliases)}, expected a sequence: [{shown(aliases)}]")
        for name in (import_path, spec_cls, dm_cls, gymnasium_cls):
            _check_name(name)
        if gymnasium:
            _check_gymnasium(gymnasium, import_path)
        task = Task(import_path, spec_cls, dm_cls, gymnasium_cls, kwargs, gymnasium or {})
        names = [name for name in (task_id, *aliases) if self._is_new(name, task)]
        for name in names:
            self._owners[without_version(gymnasium_id(name))] = task.package, without_version(name)
            self.tasks[name] = task
            for listener in self.listeners:
                listener(name, task)

    def _is_new(self, name: str, task: Task) -> bool:
        """Is the name free for this task, rather than the task's already?"""
        check_id(name, task.package)
        known = self.tasks.get(name) or self.python_tasks.get(name)
        if known == task:
            return False
        if known is not None:
            raise ArgumentError(
                f"{task} cannot be registered as {name!r}, because {known} is: choose another id"
            )
        own = task.package, without_version(name)
        package, versions = self._owners.get(without_version(gymnasium_id(name)), own)
        if (package, versions) != own:
            raise ArgumentError(
                f"{task} cannot be registered as {name!r}: in Gymnasium's registry it would be "
                f"{gymnasium_id(name)!r}, a version of {versions!r} of the package {package!r}; "
                "choose another namespace or name"
            )
        return True

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
        known = self.tasks.get(task_id) or self.python_tasks.get(task_id, task)
        if known != task:
            raise ArgumentError(
                f"{task} cannot be registered as {task_id!r}, because {known} is: choose another id"
            )
        self.python_tasks[task_id] = task

    def find(self, task_id: str) -> Task | PythonTask:
        """The task of this name, or the environments with this id in Gymnasium's registry.

        Raises:
            UnknownTaskError: There is none; the message names the most similar ones.
        """
        if not self._is_known(task_id):
            load_plugins()
        if not self._is_known(task_id):
            if isinstance(task_id, str) and ":" in task_id:
                return PythonTask(task_id, {})
            hint = did_you_mean(str(task_id), [*self.tasks, *self.python_tasks])
            raise UnknownTaskError(f"there is no task {shown(task_id)}{hint}")
        return self.tasks.get(task_id) or self.python_tasks[task_id]

    def _is_known(self, task_id: str) -> bool:
        return task_id in self.tasks or task_id in self.python_tasks

    def make_spec(self, task_id: str, **kwargs: Any) -> specs.EnvSpec:
        """See :func:`envpool.make_spec`."""
        spec = self._make_spec(task_id, kwargs)
        spec.require_reset_info()
        return spec

    def _make_spec(self, task_id: str, kwargs: dict[str, Any]) -> specs.EnvSpec:
        task = self.find(task_id)
        if isinstance(task, PythonTask):
            spec: specs.EnvSpec = python_makers().make_python_spec(
                task.source, task.kwargs | kwargs, task_id
            )
            return spec
        spec_cls = self.spec_class(task_id, task)
        names = spec_cls.own_names
        try:
            registered = names(task.kwargs)
            spec_cls.gen_config(**registered)
        except TypeError as error:
            raise TypeError(f"{task_id} is registered with a wrong option: {error}") from None
        config = spec_cls.gen_config(**(registered | names(kwargs)))
        spec = spec_cls(config)
        spec.id = task_id
        return spec

    def spec_class(self, task_id: str, task: Task) -> type[specs.EnvSpec]:
        """The class of a task's specs.

        Raises:
            ImportError: The task's library or engine is missing, or lacks the task's environment.
        """
        found: type[specs.EnvSpec] = _class_of(task_id, task, task.spec_cls)
        return found

    def make(
        self,
        task_id: str,
        env_type: str = DEFAULT,
        *,
        old_gym: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        """See :func:`envpool.make`."""
        check_env_type(env_type, old_gym)
        if "batch_size" in kwargs and "num_envs" not in kwargs:
            raise ArgumentError("batch_size is given without num_envs")
        task = self.find(task_id)
        if isinstance(task, PythonTask):
            options = task.kwargs | kwargs
            return python_makers().make_pool(task.source, env_type, old_gym, options, task_id)
        if env_type == "gym" and wants_old_gym(old_gym):
            pool_class = import_module("envpool.flavours.gym").pool_class
            spec = self._make_spec(task_id, {"gym_reset_return_info": False} | kwargs)
            return pool_class(spec.env_type.name, task.import_path)(spec)
        spec = self.make_spec(task_id, **kwargs)
        name = task.dm_cls if env_type == "dm" else task.gymnasium_cls
        return _class_of(task_id, task, name)(spec)

    def list_all_envs(self) -> list[str]:
        """See :func:`envpool.list_all_envs`."""
        load_plugins()
        return [*self.tasks, *self.python_tasks]


def check_env_type(env_type: Any, old_gym: bool | None) -> None:
    """Refuses an unknown API.

    Raises:
        TypeError: ``old_gym`` does not go with it.
        ArgumentError: There is no such API.
    """
    expected = ", ".join(map(repr, ENV_TYPES))
    if env_type not in ENV_TYPES:
        raise ArgumentError(f"env_type is {shown(env_type)}, expected one of {expected}")
    if old_gym is not None and env_type != "gym":
        raise TypeError(f"old_gym is an option of env_type 'gym', and this is {shown(env_type)}")


def python_makers() -> Any:
    """The module :mod:`envpool.tasks.python_makers`, which loads NumPy."""
    import_module("envpool._core")  # before NumPy, whose refusal of subinterpreters is unclear
    return import_module("envpool.tasks.python_makers")
