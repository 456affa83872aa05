"""Task: what the registry knows of a task."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from envpool.errors import shown
from envpool.tasks.ids import package_of


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

    def __str__(self) -> str:
        options = "".join(f", {name}={shown(value)}" for name, value in self.kwargs.items())
        return f"make_python({shown(self.source)}{options})"
