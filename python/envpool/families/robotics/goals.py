"""Rewards of goals: the original's ``compute_reward`` and others, for whole batches.

They are NumPy, operation by operation as in gymnasium_robotics, so they have its bytes and dtypes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.families.robotics.rotations import angle_between, angles_of, quaternion_of

Options: TypeAlias = Mapping[str, Any]
Array: TypeAlias = NDArray[Any]


class GoalRules(NamedTuple):
    """A kind of environment's functions of goals, which are the last axis of all arrays.

    Attributes:
        options: The options that count here, by name.
        size: How many numbers a goal has, by options.
        reward: Of options, achieved and desired goals.
        terminated: Likewise; None if episodes never end by themselves.
    """

    options: tuple[str, ...]
    size: Callable[[Options], int]
    reward: Callable[[Options, Array, Array], Any]
    terminated: Callable[[Options, Array, Array], Any] | None = None


_MAZE_RADIUS = 0.45
# How many numbers the goal of a kitchen's task has; in the order of infos, which is the original's.
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


def _norms_of_rows(vectors: Array) -> Array:
    """The norms of vectors, each as of it alone: NumPy adds up otherwise along an axis."""
    rows = vectors.reshape(-1, vectors.shape[-1])
    norms = np.array([np.linalg.norm(row) for row in rows])
    return norms.reshape(vectors.shape[:-1])


def _maze_reward(options: Options, achieved: Array, desired: Array) -> Any:
    distance = np.linalg.norm(achieved - desired, axis=-1)
    if options["reward_type"] == "dense":
        return np.exp(-distance)
    return (distance <= _MAZE_RADIUS).astype(np.float64)


def _maze_terminated(options: Options, achieved: Array, desired: Array) -> Any:
    if options["continuing_task"]:
        return np.zeros(achieved.shape[:-1], np.bool_)
    return _norms_of_rows(achieved - desired) <= _MAZE_RADIUS


def _distance_reward(options: Options, achieved: Array, desired: Array) -> Any:
    distance = np.linalg.norm(achieved - desired, axis=-1)
    if options["reward_type"] == "dense":
        return -distance
    return -(distance > options["distance_threshold"]).astype(np.float32)


def _hand_reward(options: Options, achieved: Array, desired: Array) -> Any:
    if options["hand_task"] == "reach":
        return _distance_reward(options, achieved, desired)
    distance, angle = _pose_distance(options, achieved, desired)
    if options["reward_type"] == "dense":
        return -(10.0 * distance + angle)
    is_there = (distance < options["distance_threshold"]).astype(np.float32)
    is_turned = (angle < options["rotation_threshold"]).astype(np.float32)
    return is_there * is_turned - 1.0


def _pose_distance(options: Options, achieved: Array, desired: Array) -> tuple[Any, Any]:
    """How far an object is from where it shall be, m, and from how it shall be turned, rad."""
    distance = np.zeros_like(achieved[..., 0])
    angle = np.zeros_like(desired[..., 0])
    if options["target_position"] != "ignore":
        distance = np.linalg.norm(achieved[..., :3] - desired[..., :3], axis=-1)
    if options["target_rotation"] != "ignore":
        rotation, target = achieved[..., 3:], desired[..., 3:]
        if options["ignore_z_target_rotation"]:
            angles, target_angles = angles_of(rotation), angles_of(target)
            # In the original's batches this is the third goal, not the third angle.
            angles[..., 2] = target_angles[..., 2]
            rotation = quaternion_of(angles)
        angle = angle_between(rotation, target)
    return distance, angle


_MAZE = GoalRules(("reward_type", "continuing_task"), lambda _: 2, _maze_reward, _maze_terminated)
# By native names. Kinds without goals are not among them, nor the kitchen, whose goals are dicts.
GOALS = {
    "GymnasiumRoboticsAntMaze": _MAZE,
    "GymnasiumRoboticsFetch": GoalRules(
        ("reward_type", "distance_threshold"), lambda _: 3, _distance_reward
    ),
    "GymnasiumRoboticsHand": GoalRules(
        (
            *("reward_type", "hand_task", "distance_threshold", "rotation_threshold"),
            *("target_position", "target_rotation", "ignore_z_target_rotation"),
        ),
        lambda options: 15 if options["hand_task"] == "reach" else 7,
        _hand_reward,
    ),
    "GymnasiumRoboticsPointMaze": _MAZE,
}


def _read_goal(name: str, goal: Any, size: int) -> Array:
    """Returns goals of ``size`` numbers as an array."""
    array = np.asarray(goal)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} is {shown(goal)}, expected numbers")
    if array.shape[-1:] != (size,):
        raise ArgumentError(f"{name} has shape {array.shape}, expected (..., {size})")
    return array


class GoalFunctions:
    """The functions of goals for environments of a kind.

    Args:
        rules: Those of the kind.
        options: Of each environment, or of all of them.
    """

    NAMES = ("compute_reward", "compute_terminated", "compute_truncated")

    def __init__(self, rules: GoalRules, options: Sequence[Options]) -> None:
        self._rules = rules
        self._options = [{name: each[name] for name in rules.options} for each in options]

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any = None) -> Any:
        """Returns the reward of a step that has achieved this.

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
                f"{achieved.shape[-1]}): environments have different options "
                f"({self._differing()}), so a goal for each"
            )
        return np.stack(
            [rule(*each) for each in zip(options, achieved, desired, strict=True)], axis=0
        )

    def _differing(self) -> str:
        """The options that are not the same for all, for a message."""
        first, *others = self._options
        return ", ".join(
            name for name in first if any(other[name] != first[name] for other in others)
        )

    def _read(self, name: str, goal: Any) -> Array:
        return _read_goal(name, goal, self._rules.size(self._options[0]))


def _never(options: Options, achieved: Array, desired: Array) -> Any:
    return np.zeros(achieved.shape[:-1], np.bool_)


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
            _norms_of_rows(mine - other) < _CLOSE_ENOUGH
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
        return [_read_goal(f"{name}[{task!r}]", goals[task], SIZES[task]) for task in self._tasks]

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
