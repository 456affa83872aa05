"""Ids of tasks: which there may be, and what they are in Gymnasium's registry."""

from __future__ import annotations

import re

from envpool.errors import ArgumentError, shown

OURS = "envpool"
# As Gymnasium has them, but for colons: there, what is before one is a module to be imported.
_ID = re.compile(
    r"(?:(?P<namespace>\w[\w-]*)/)?(?P<name>\w[\w.-]*?)(?:-v(?P<version>0|[1-9][0-9]*))?"
)


def package_of(import_path: str) -> str:
    """The package that a task's module is in."""
    return import_path.partition(".")[0]


def gymnasium_id(task_id: str) -> str:
    """What a task is called in Gymnasium's registry: ``walk/Walk-v0``, ``envpool/walk-Walk-v0``."""
    return f"{OURS}/" + task_id.replace("/", "-")


def without_version(task_id: str) -> str:
    """What a task has in common with its other versions."""
    name, separator, version = task_id.rpartition("-v")
    return name if separator and version.isdecimal() else task_id


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
