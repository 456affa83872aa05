"""What goals are worth: the original's ``compute_reward`` and others, for whole batches.

They are NumPy, operation by operation as in gymnasium_robotics, so they have its bytes and dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown

Options: TypeAlias = Mapping[str, Any]
Array: TypeAlias = NDArray[Any]


class GoalRules(NamedTuple):
    """What a kind of environment does with goals, the last axis of all arrays.

    Attributes:
        size: How many numbers a goal has.
        reward: Of options, achieved and desired goals.
        terminated: Likewise; None if episodes never end by themselves.
    """

    size: int
    reward: Callable[[Options, Array, Array], Any]
    terminated: Callable[[Options, Array, Array], Any] | None = None


METHODS = ("compute_reward", "compute_terminated", "compute_truncated")

_MAZE_RADIUS = 0.45


def _maze_reward(options: Options, achieved: Array, desired: Array) -> Any:
    distance = np.linalg.norm(achieved - desired, axis=-1)
    if options["reward_type"] == "dense":
        return np.exp(-distance)
    return (distance <= _MAZE_RADIUS).astype(np.float64)


def _maze_terminated(options: Options, achieved: Array, desired: Array) -> Any:
    if options["continuing_task"]:
        return np.zeros(achieved.shape[:-1], np.bool_)
    # Each norm is of all of a vector, which NumPy adds up otherwise than along an axis.
    rows = (achieved - desired).reshape(-1, achieved.shape[-1])
    is_reached = np.array([np.linalg.norm(row) <= _MAZE_RADIUS for row in rows], np.bool_)
    return is_reached.reshape(achieved.shape[:-1])


# By native names. Kinds without goals are not among them.
GOALS = {
    "GymnasiumRoboticsPointMaze": GoalRules(2, _maze_reward, _maze_terminated),
}


class GoalFunctions:
    """The functions of goals for environments of a kind.

    Args:
        rules: Those of the kind.
        options: Of each environment, or of all of them.
    """

    def __init__(self, rules: GoalRules, options: list[dict[str, Any]]) -> None:
        self._rules = rules
        self._options = options

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any = None) -> Any:
        """What a step is rewarded with that has achieved this.

        Args:
            achieved_goal: Of shape ``(..., n)``, for goals of ``n`` numbers.
            desired_goal: Likewise.
            info: Not used; the original's functions have it.

        Returns:
            An array of shape ``(...)`` and the original's dtype, or a NumPy scalar.

        Raises:
            ArgumentError: The goals have a wrong shape (also a ValueError).
            TypeError: They are no numbers.
        """
        return self._compute(self._rules.reward, achieved_goal, desired_goal)

    def compute_terminated(self, achieved_goal: Any, desired_goal: Any, info: Any = None) -> Any:
        """Whether that step ends the episode; see :meth:`compute_reward`.

        Returns:
            bools of shape ``(...)``, or a bool.
        """
        rule = self._rules.terminated or _never
        result = self._compute(rule, achieved_goal, desired_goal)
        return bool(result) if np.ndim(result) == 0 else result

    def compute_truncated(self, achieved_goal: Any, desired_goal: Any, info: Any = None) -> Any:
        """Whether it cuts it short, which only time limits do; see :meth:`compute_terminated`."""
        result = self._compute(_never, achieved_goal, desired_goal)
        return bool(result) if np.ndim(result) == 0 else result

    def _compute(self, rule: Callable[..., Any], achieved_goal: Any, desired_goal: Any) -> Any:
        achieved = self._read("achieved_goal", achieved_goal)
        desired = self._read("desired_goal", desired_goal)
        if achieved.shape != desired.shape:
            raise ArgumentError(
                f"achieved_goal has shape {achieved.shape} and desired_goal {desired.shape}, "
                "expected the same"
            )
        options = self._options
        if all(other == options[0] for other in options):
            return rule(options[0], achieved, desired)
        if achieved.shape[:-1] != (len(options),):
            raise ArgumentError(
                f"achieved_goal has shape {achieved.shape}, expected ({len(options)}, "
                f"{self._rules.size}): environments have different options, so a goal for each"
            )
        return np.stack(
            [rule(*each) for each in zip(options, achieved, desired, strict=True)], axis=0
        )

    def _read(self, name: str, goal: Any) -> Array:
        array = np.asarray(goal)
        if array.dtype.kind not in "iuf":
            raise TypeError(f"{name} is {shown(goal)}, expected numbers")
        if array.shape[-1:] != (self._rules.size,):
            raise ArgumentError(
                f"{name} has shape {array.shape}, expected (..., {self._rules.size})"
            )
        return array


def _never(options: Options, achieved: Array, desired: Array) -> Any:
    return np.zeros(achieved.shape[:-1], np.bool_)
