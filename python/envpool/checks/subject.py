"""Subject: the task that is checked, and how it is made."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal

from envpool.spec.env_spec import EnvSpec
from envpool.spec.values import INT_MAX
from envpool.tasks.python_makers import make_one, make_python_spec, make_workers
from envpool.tasks.registry import PythonTask, registry
from envpool.workers.factories import function_of, make_factories

SEED = 1000
NUM_ENVS = 4

_SHORT = 12  # steps, so that episodes end while few steps are played


@dataclasses.dataclass(frozen=True)
class Subject:
    """The task that is checked.

    Attributes:
        task_id: The task.
        options: Those that it is made with.
        quick: True if it is looked at less closely.
        python: What makes the environments, if they are written in Python.
    """

    task_id: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    quick: bool = False
    python: PythonTask | None = None

    @classmethod
    def of(cls, task: Any, options: Mapping[str, Any], quick: bool = False) -> Subject:
        """The subject that a user names.

        Args:
            task: A task's id, or what :func:`envpool.make_python` makes environments of.
            options: Options of the task.
            quick: True if it is looked at less closely.

        Raises:
            UnknownTaskError: There is no such task.
            gymnasium.error.Error, ImportError: There is no such environment in Python.
            TypeError: Nothing can be made of it.
        """
        found = registry.find(task) if isinstance(task, str) else PythonTask(task, {})
        name = task if isinstance(task, str) else getattr(task, "__name__", "Python")
        if not isinstance(found, PythonTask):
            return cls(name, options, quick)
        make_factories(found.source)  # which is not found, or cannot make environments
        return cls(name, options, quick, found)

    @property
    def language(self) -> Literal["C++", "Python"]:
        """The language in which the environments are written."""
        return "C++" if self.python is None else "Python"

    @property
    def steps(self) -> int:
        """The number of results of each environment that are looked at."""
        return 40 if self.quick else 160

    def spec(self, **options: Any) -> EnvSpec:
        """The task's spec, with further options."""
        defaults = {"num_envs": NUM_ENVS, "seed": SEED}
        if self.python is None:
            given = {"num_threads": 1} | defaults | dict(self.options) | options
            return registry.make_spec(self.task_id, **given)
        given = self._python_options(defaults | options)
        spec = make_python_spec(self.python.source, given, self.task_id)
        spec.open_workers = functools.partial(make_workers, self.python.source, given)
        return spec

    def make_bare(self) -> Any:
        """One environment without a pool, written in Python."""
        assert self.python
        return make_one(self.python.source, self._python_options({}))

    def _python_options(self, options: dict[str, Any]) -> dict[str, Any]:
        assert self.python
        given = {"num_workers": 0} | self.python.kwargs | dict(self.options) | options
        if "render_mode" in options and callable(function_of(self.python.source)):
            own = {"render_mode": options["render_mode"]}
            given["env_kwargs"] = dict(given.get("env_kwargs", {})) | own
        return given

    @property
    def makers(self) -> tuple[Callable[..., EnvSpec], ...]:
        """Makers of specs with the task's own time limit, and with a short one."""
        return self.spec, self.spec_with_ends

    def threads(self, count: int) -> dict[str, Any]:
        """Options for so many threads; none in Python, where this process runs environments."""
        return {"num_threads": count} if self.python is None else {}

    def spec_with_ends(self, **options: Any) -> EnvSpec:
        """The same, with a time limit that ends episodes after a few steps."""
        limit = min(self.options.get("max_episode_steps", INT_MAX), _SHORT)
        return self.spec(**({"max_episode_steps": limit} | options))
