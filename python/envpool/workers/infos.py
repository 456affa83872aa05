"""Infos of many rows in one dict, as Gymnasium's vector environments merge them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import shown
from envpool.workers.letters import own

# What the infos of a step have where it ended an episode and began the next.
FINAL_OBS, FINAL_INFO = "final_obs", "final_info"
_CONTAINERS = frozenset([dict, list, tuple, set, np.ndarray])


def merge_infos(
    num_rows: int, rows: Iterable[tuple[int, dict[str, Any]]], *, strict: bool = True
) -> dict[str, Any]:
    """The infos of some rows in one dict.

    Each key has an array with an entry per row, 0 or None for those that do not have the key, and
    a mask ``_key`` that tells which do. The first value of a key determines the array's type:
    numbers and arrays of numbers keep theirs, dicts are merged in the same way, all others become
    objects.

    Args:
        num_rows: How many rows there are.
        rows: Infos with their row, in the order in which keys are to appear. A row may come several
            times.
        strict: Refuse values that do not convert to the type of their array, as Gymnasium does.
            Otherwise the array becomes one of objects.

    Raises:
        Exception: NumPy's, of a value that is refused; a note says which it is.
    """
    merged: dict[str, Any] = {}
    for row, info in rows:
        _add(merged, info, row, num_rows, strict=strict)
    return merged


def _add(
    merged: dict[str, Any], info: dict[str, Any], row: int, num_rows: int, *, strict: bool
) -> None:
    for key, value in info.items():
        column = merged.get(key)
        mask = merged.get(f"_{key}")
        has_parts = isinstance(value, dict) and key != FINAL_OBS
        if has_parts and isinstance(column, dict | None):
            column = column or {}
            _add(column, value, row, num_rows, strict=strict)
        else:
            try:
                if has_parts:
                    raise TypeError("a dict where rows before have none")
                if column is None:
                    column = _make_column(key, value, num_rows)
                column[row] = value
            except Exception as error:
                if strict:
                    error.add_note(f"info[{shown(key)}] of environment {row} is {shown(value)}")
                    raise
                column = _to_objects(column, mask, num_rows)
                column[row] = value
        if mask is None:
            mask = np.zeros(num_rows, np.bool_)
        mask[row] = True
        merged[key], merged[f"_{key}"] = column, mask


def _to_objects(column: Any, mask: Any, num_rows: int) -> NDArray[Any]:
    """A column that takes all values, with those of another one."""
    objects = np.full(num_rows, None, object)
    if isinstance(column, np.ndarray):
        for row in np.flatnonzero(mask):
            objects[row] = column[row]
    return objects


def _make_column(key: str, value: Any, num_rows: int) -> NDArray[Any]:
    kind = type(value)
    if key != FINAL_OBS:
        if kind in (int, float, bool) or issubclass(kind, np.number):
            return np.zeros(num_rows, kind)
        if isinstance(value, np.ndarray):
            return np.zeros((num_rows, *value.shape), value.dtype)
    return np.full(num_rows, None, object)


def own_objects(merged: dict[str, Any]) -> None:
    """Replaces dicts, lists and arrays in columns of objects by copies.

    Args:
        merged: Merged infos, whose environments are in this process and may use them again.
    """
    for column in merged.values():
        if isinstance(column, dict):
            own_objects(column)
        elif isinstance(column, np.ndarray) and column.dtype == object:
            for row, value in enumerate(column):
                if type(value) in _CONTAINERS:
                    column[row] = own(value)
