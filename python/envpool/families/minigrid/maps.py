"""Maps of one's own, in the forms in which users give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool.errors import ArgumentError

_MOST_CHARACTERS = 2 * 200 * 200


def map_or_maps(value: Any) -> Any:
    """A map's rows as a list of strings, or such a list for each environment.

    What is no map is returned as it is, to be refused like a wrong value of any other option.

    Args:
        value: A map: its rows, or one string of as many lines. Or a list of maps.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str):
        return value.strip("\n").splitlines()
    if not isinstance(value, list | tuple):
        return value
    if any(_is_map(each) for each in value):
        return [map_or_maps(each) for each in value]
    return list(value)


def _is_map(value: Any) -> bool:
    if isinstance(value, str):
        return "\n" in value.strip("\n")
    return isinstance(value, list | tuple | np.ndarray)


def check_size(rows: Any) -> None:
    """Refuses a map that is too large to be looked at; its rows may be one string many times.

    Args:
        rows: A map, if it is one.

    Raises:
        ValueError: It has more characters than the largest map.
    """
    if not isinstance(rows, list):
        return
    characters = sum(len(row) for row in rows if isinstance(row, str))
    if characters > _MOST_CHARACTERS:
        raise ArgumentError(
            f"map has {characters} characters, expected at most {_MOST_CHARACTERS}: 200 rows and "
            "columns of cells"
        )
