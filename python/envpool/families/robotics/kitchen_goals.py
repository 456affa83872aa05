"""What is done in FrankaKitchen: the original's ``compute_reward``, for whole batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.families.robotics.goals import Array, Options, norms_of_rows, read_goal

# How many numbers the goal of a task has; in the order of infos, which is the original's.
SIZES = {
    "bottom burner": 2,
    "top burner": 2,
    "light switch": 2,
    "slide cabinet": 1,
    "hinge cabinet": 2,
    "microwave": 1,
    "kettle": 7,
}
_LEFT = "tasks_to_complete"  # the option, and the info
_CLOSE_ENOUGH = 0.3


class KitchenGoals:
    """The function of goals for kitchens.

    Args:
        options: Of each environment, or of all of them, which have the same tasks.
    """

    NAMES = ("compute_reward",)

    def __init__(self, options: Sequence[Options]) -> None:
        self._tasks = [task for task in SIZES if task in options[0][_LEFT]]

    def compute_reward(
        self,
        achieved_goal: Mapping[str, Any],
        desired_goal: Mapping[str, Any],
        info: Mapping[str, Any] | None = None,
    ) -> Any:
        """How many tasks are done with this achieved.

        Args:
            achieved_goal: By the name of each task arrays of shape ``(..., n)``, for goals of ``n``
                numbers.
            desired_goal: Likewise.
            info: Its ``tasks_to_complete``, as steps and resets have it, of shape ``(..., 7)``,
                says which tasks are still to be done: only these count. Without it all tasks of the
                option of that name do. The original goes by its environment's own list.

        Returns:
            An array of shape ``(...)``, float64, or a float.

        Raises:
            ArgumentError: A task is missing, or an array has a wrong shape (also a ValueError).
            TypeError: The goals are no dicts of numbers.
        """
        achieved = self._read("achieved_goal", achieved_goal)
        desired = self._read("desired_goal", desired_goal)
        shape = achieved[0].shape[:-1]
        for name, goals in (("achieved_goal", achieved), ("desired_goal", desired)):
            for task, goal in zip(self._tasks, goals, strict=True):
                if goal.shape[:-1] != shape:
                    raise ArgumentError(
                        f"{name}[{task!r}] has shape {goal.shape}, expected "
                        f"{(*shape, SIZES[task])}, as achieved_goal[{self._tasks[0]!r}] has "
                        f"{achieved[0].shape}"
                    )
        is_done = [
            norms_of_rows(mine - other) < _CLOSE_ENOUGH
            for mine, other in zip(achieved, desired, strict=True)
        ]
        counted = np.stack(is_done, axis=-1) & self._left(info, shape)
        count = counted.sum(axis=-1).astype(np.float64)
        return count if shape else float(count)

    def _read(self, name: str, goals: Any) -> list[Array]:
        """The goals of each task."""
        if not isinstance(goals, Mapping):
            raise TypeError(f"{name} is {shown(goals)}, expected a dict of goals by task")
        for task in self._tasks:
            if task not in goals:
                raise ArgumentError(
                    f"{name} has no {task!r}, expected goals of {', '.join(map(repr, self._tasks))}"
                )
        return [read_goal(f"{name}[{task!r}]", goals[task], SIZES[task]) for task in self._tasks]

    def _left(self, info: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Which tasks count, of shape ``(..., len(tasks))`` or ``(len(tasks),)``."""
        if info is not None and not isinstance(info, Mapping):
            raise TypeError(f"info is {shown(info)}, expected a dict or None")
        if not info or _LEFT not in info:
            return np.ones(len(self._tasks), np.bool_)
        flags = np.asarray(info[_LEFT])
        if flags.dtype.kind not in "biu":
            raise TypeError(
                f"info[{_LEFT!r}] is {shown(info[_LEFT])}, expected 0 or 1 for each of "
                f"{len(SIZES)} tasks"
            )
        if flags.shape != (*shape, len(SIZES)):
            raise ArgumentError(
                f"info[{_LEFT!r}] has shape {flags.shape}, expected {(*shape, len(SIZES))}"
            )
        names = list(SIZES)
        left: NDArray[np.bool_] = flags[..., [names.index(task) for task in self._tasks]] != 0
        return left
