"""Maps of mazes: the package's, by name, and in the forms in which users give their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool.errors import ArgumentError, did_you_mean, shown

# As in gymnasium_robotics/envs/maze/maps.py: 1 is a wall, 0 is free, episodes begin in r, goals are
# in g, and c is both. Each of these maps is there in three kinds.
_DIVERSE = {
    "OPEN": ("1111111", "1rgggg1", "1ggggg1", "1ggggg1", "1111111"),
    "MEDIUM_MAZE": (
        "11111111",
        "1r011001",
        "100100g1",
        "11000111",
        "10010001",
        "1g100101",
        "10001g01",
        "11111111",
    ),
    "LARGE_MAZE": (
        "111111111111",
        "1r0001g00001",
        "101101010101",
        "10000g0100g1",
        "101111011101",
        "10g101000001",
        "110101010111",
        "1001g0g10g01",
        "111111111111",
    ),
}
# What the kinds have where a map has r or g, by what their names end with.
_KINDS = {"": "00", "_DIVERSE_G": "rg", "_DIVERSE_GR": "cc"}
_U = ("11111", "10001", "11101", "10001", "11111")
MAPS = {"EMPTY_MAZE": _U, "U_MAZE": _U} | {
    name + kind: tuple(row.translate(str.maketrans("rg", cells)) for row in rows)
    for name, rows in _DIVERSE.items()
    for kind, cells in _KINDS.items()
}


def map_or_maps(value: Any) -> Any:
    """A map's rows as a list of strings, or such a list for each environment.

    Args:
        value: A map: the name of one of the package's, or its rows, each a string or a list of
            cells (1, 0, "r", "g" or "c"). Or a list of maps.

    Raises:
        ArgumentError: There is no map of this name, or a cell is none (also a ValueError).
        TypeError: It is no map at all.
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, str | list | tuple):
        raise TypeError(f"maze_map is {shown(value)}, expected a map's name or rows of cells")
    if not isinstance(value, str) and any(map(_is_map, value)):
        return [_rows(each) for each in value]
    return _rows(value)


def _is_map(value: Any) -> bool:
    """True if it is a map, rather than a row of one."""
    if isinstance(value, str):
        return value in MAPS
    is_list = isinstance(value, list | tuple | np.ndarray)
    return is_list and any(_is_row(each) for each in value)


def _is_row(value: Any) -> bool:
    return isinstance(value, list | tuple | np.ndarray) or (
        isinstance(value, str) and len(value) > 1
    )


def _rows(value: Any) -> list[str]:
    if isinstance(value, str):
        if value not in MAPS:
            hint = did_you_mean(value, list(MAPS))
            raise ArgumentError(f"maze_map is {value!r}, of which there is no map{hint}")
        return list(MAPS[value])
    if not isinstance(value, list | tuple | np.ndarray):
        raise TypeError(f"maze_map has the map {shown(value)}, expected a name or rows of cells")
    return [_row(i, row) for i, row in enumerate(value)]


def _row(i: int, row: Any) -> str:
    if isinstance(row, str):
        return row
    if not isinstance(row, list | tuple | np.ndarray):
        raise TypeError(
            f"row {i} of maze_map is {shown(row)}, expected a string or a list of cells"
        )
    return "".join(_cell(i, cell) for cell in row)


def _cell(i: int, cell: Any) -> str:
    if isinstance(cell, str) and len(cell) == 1:
        return cell
    if isinstance(cell, int | float | np.number) and cell in (0, 1):
        return "1" if cell else "0"
    raise ArgumentError(
        f"row {i} of maze_map has the cell {shown(cell)}, expected 1 (a wall), 0 (free), 'r' "
        "(where episodes begin), 'g' (a goal) or 'c' (both)"
    )
