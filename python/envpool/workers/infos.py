"""The infos of many environments in one dict, to the letter as Gymnasium's VectorEnv has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# What the infos of a step have where it ended an episode and began the next.
FINAL_OBS, FINAL_INFO = "final_obs", "final_info"


def merge_infos(num_rows: int, rows: Iterable[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """The infos of some rows in one dict.

    Each key has an array with an entry per row, 0 or None for those that do not have the key, and
    a mask ``_key`` that tells which do. The first value of a key determines the array's type:
    numbers and arrays of numbers keep theirs, dicts are merged in the same way, all others become
    objects.

    Args:
        num_rows: How many rows there are.
        rows: Infos with their row, in the order in which keys are to appear. A row may come several
            times.
    """
    merged: dict[str, Any] = {}
    for row, info in rows:
        _add(merged, info, row, num_rows)
    return merged


def _add(merged: dict[str, Any], info: dict[str, Any], row: int, num_rows: int) -> None:
    for key, value in info.items():
        if isinstance(value, dict) and key != FINAL_OBS:
            column = merged.get(key, {})
            _add(column, value, row, num_rows)
        else:
            column = merged.get(key)
            if column is None:
                column = _make_column(key, value, num_rows)
            column[row] = value
        mask = merged.get(f"_{key}")
        if mask is None:
            mask = np.zeros(num_rows, np.bool_)
        mask[row] = True
        merged[key], merged[f"_{key}"] = column, mask


def _make_column(key: str, value: Any, num_rows: int) -> NDArray[Any]:
    kind = type(value)
    if key != FINAL_OBS:
        if kind in (int, float, bool) or issubclass(kind, np.number):
            return np.zeros(num_rows, kind)
        if isinstance(value, np.ndarray):
            return np.zeros((num_rows, *value.shape), value.dtype)
    return np.full(num_rows, None, object)
