"""EnvRows: rows by environment, so many of each, and rows that wait for room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.rollouts.arrays import pairs
from envpool.spec.fields import leaves_of


class EnvRows:
    """Keeps rows by environment.

    Args:
        arrays: Dicts and tuples of contiguous arrays of shape ``(length, num_envs, ...)``.
        length: How many rows of each environment there is room for.
        num_envs: How many environments there are.
    """

    def __init__(self, arrays: Any, length: int, num_envs: int) -> None:
        self._arrays = arrays
        # The same memory by one index, which is quicker to write to than by two.
        self._flat = [array.reshape(-1, *array.shape[2:]) for array in leaves_of(arrays)]
        self._length = length
        self._num_envs = num_envs
        self._waiting: list[tuple[list[NDArray[Any]], NDArray[Any], NDArray[np.intp]]] = []

    def keep(self, batch: Any, env_id: NDArray[Any], numbers: NDArray[np.intp]) -> None:
        """Copies rows of a batch to their places, and those that have none yet elsewhere.

        Args:
            batch: Dicts and tuples of arrays with a row for each id, such as the arrays' own. It
                may have other entries, too, and a tuple may lack its last ones.
            env_id: Whose the rows are.
            numbers: Each row's place among those of its environment, from 0.
        """
        self._keep([part for _, part in pairs(self._arrays, batch)], env_id, numbers)

    def _keep(
        self, parts: Sequence[NDArray[Any]], env_id: NDArray[Any], numbers: NDArray[np.intp]
    ) -> None:
        fits = numbers < self._length
        if np.count_nonzero(fits) < len(fits):
            waits = ~fits
            self._waiting.append(([part[waits] for part in parts], env_id[waits], numbers[waits]))
            parts, env_id, numbers = [part[fits] for part in parts], env_id[fits], numbers[fits]
        places = numbers * self._num_envs + env_id
        for array, part in zip(self._flat, parts, strict=False):
            array[places] = part

    def advance(self, count: int) -> None:
        """Drops so many rows of each environment, and moves those after them to their places."""
        for array in leaves_of(self._arrays):
            array[: self._length - count] = array[count:]
        waiting, self._waiting = self._waiting, []
        for parts, env_id, numbers in waiting:
            self._keep(parts, env_id, numbers - count)

    def forget(self) -> None:
        """Drops the rows that wait."""
        self._waiting = []
