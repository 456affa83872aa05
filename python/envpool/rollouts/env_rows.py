"""EnvRows: rows by environment, so many of each, and rows that wait for room."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool.rollouts.arrays import pairs
from envpool.spec.fields import map_leaves


class _Rows(NamedTuple):
    """Rows of a batch.

    Attributes:
        batch: Dicts and tuples of arrays with these rows.
        env_id: Whose they are.
        numbers: Each row's place among those of its environment, from 0.
    """

    batch: Any
    env_id: NDArray[Any]
    numbers: NDArray[np.intp]


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
        self._flat = map_leaves(lambda array: array.reshape(-1, *array.shape[2:]), arrays)
        self._length = length
        self._num_envs = num_envs
        self._waiting: list[_Rows] = []

    def keep(self, batch: Any, env_id: NDArray[Any], numbers: NDArray[np.intp]) -> None:
        """Copies rows of a batch to their places, and those that have none yet elsewhere.

        Args:
            batch: Dicts and tuples of arrays with a row for each id, such as the arrays' own. It
                may have other entries, too, and a tuple may lack its last ones.
            env_id: Whose the rows are.
            numbers: Each row's place among those of its environment, from 0.
        """
        self._keep(_Rows(batch, env_id, numbers))

    def _keep(self, new: _Rows) -> None:
        fits = new.numbers < self._length
        if np.count_nonzero(fits) < len(fits):
            self._waiting.append(self._only(new, ~fits))
            new = self._only(new, fits)
        _write(self._flat, new.batch, new.numbers * self._num_envs + new.env_id)

    def _only(self, rows: _Rows, mask: NDArray[np.bool_]) -> _Rows:
        """Copies of those rows for which the mask is True."""
        batch = _picked(self._arrays, rows.batch, mask)
        return _Rows(batch, rows.env_id[mask], rows.numbers[mask])

    def advance(self, count: int) -> None:
        """Drops so many rows of each environment, and moves those after them to their places."""

        def move(array: NDArray[Any]) -> None:
            array[: self._length - count] = array[count:]

        map_leaves(move, self._arrays)
        waiting, self._waiting = self._waiting, []
        for rows in waiting:
            self._keep(rows._replace(numbers=rows.numbers - count))

    def forget(self) -> None:
        """Drops the rows that wait."""
        self._waiting = []


def _write(arrays: Any, batch: Any, places: NDArray[np.intp]) -> None:
    """Writes the rows of a batch to places of arrays whose structure is a part of its own."""
    for array, part in pairs(arrays, batch):
        array[places] = part


def _picked(arrays: Any, batch: Any, mask: NDArray[np.bool_]) -> Any:
    """Copies of rows of a batch, as far as the arrays have such entries."""
    if isinstance(arrays, dict):
        return {key: _picked(array, batch[key], mask) for key, array in arrays.items()}
    if isinstance(arrays, tuple):
        return tuple(_picked(*pair, mask) for pair in zip(arrays, batch, strict=False))
    return batch[mask]
