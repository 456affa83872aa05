"""Verdict: what a task says of a batch, checked."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.families.mujoco.model.task import Batch, Outcome, Task


class Verdict(NamedTuple):
    """A checked :class:`Outcome`, without rewards and ends where an episode begins."""

    reward: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    info: dict[str, NDArray[Any]]


def verdict_of(task: Task, batch: Batch, begins: NDArray[np.bool_] | None) -> Verdict:
    """Calls a task's ``reward``.

    Args:
        task: The task.
        batch: What it is called with.
        begins: True for the rows in which an episode begins; None: there are none.

    Raises:
        TypeError: An array that it returns has another dtype.
        ArgumentError: One has another shape, or a reward is NaN.
    """
    given = task.reward(batch)
    if not isinstance(given, Outcome):
        given = Outcome(given)
    shape = (len(batch),)
    where = _where(task, "reward")
    reward = _checked(where, given.reward, "iuf", shape).astype(np.float64)
    if given.terminated is None:
        terminated = np.zeros(shape, np.bool_)
    else:
        where_ends = _where(task, "terminated")
        terminated = _checked(where_ends, given.terminated, "b", shape).copy()
    if begins is not None:
        reward[begins], terminated[begins] = 0.0, False
    if math.isnan(np.add.reduce(reward)) and np.isnan(reward).any():
        raise ArgumentError(f"{where} is NaN for environment {batch.env_id[np.isnan(reward)][0]}")
    info = {name: np.asarray(each) for name, each in given.info.items()}
    for name, array in info.items():
        if array.shape[:1] != shape:
            raise ArgumentError(
                f"{_where(task, f'info {name!r}')} has the shape {array.shape}, expected "
                f"({len(batch)}, ...), a row for each of the batch's"
            )
    return Verdict(reward, terminated, info)


def observation_of(task: Task, batch: Batch) -> NDArray[Any]:
    """Calls a task's ``observe``; raises as :func:`verdict_of`."""
    where = _where(task, "observation", "observe")
    shape = (len(batch), task.observed_size)
    return _checked(where, task.observe(batch), "iuf", shape)


def _where(task: Task, what: str, method: str = "reward") -> str:
    return f"the {what} that {type(task).__name__}.{method}() returns"


def _checked(where: str, given: Any, kinds: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """A returned array, of one of these kinds of dtype and of this shape."""
    array = np.asarray(given)
    if array.dtype.kind not in kinds:
        expected = "bool" if kinds == "b" else "float64"
        told = shown(given) if array.dtype.kind == "O" else f"of dtype {array.dtype}"
        raise TypeError(f"{where} is {told}, expected an array of {expected}")
    if array.shape != shape:
        each = "a number for each row" if len(shape) == 1 else "observed_size for each row"
        raise ArgumentError(f"{where} has the shape {array.shape}, expected {shape}, {each}")
    return array
