"""RecordedPool: a native pool whose recording knows nothing of what a task remembers."""

from __future__ import annotations

from typing import Any, NoReturn

from envpool import _core
from envpool.families.mujoco.model.task import Task


class RecordedPool:
    """Stands around a recorded native pool, and is called like it.

    Recordings have snapshots of the native pool's, which lack the task's memory and the numbers of
    its episodes: so environments cannot be put into states.

    Args:
        native: The native pool.
        task: Has ``memory`` or ``start``.
    """

    def __init__(self, native: _core.Pool, task: Task) -> None:
        self._native, self._task = native, task

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def _refuse(self, *_: Any) -> NoReturn:
        raise NotImplementedError(
            f"set_state() and set_attr() are not available for {self._task} while it is recorded: "
            "it has memory or start, which a recording could not follow"
        )

    set_state = set_options = _refuse
