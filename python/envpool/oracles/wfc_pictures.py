"""The pictures that minigrid's levels by wave function collapse are made of.

They are in minigrid's repository, but not in its wheel.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from minigrid.envs.wfc import config
from minigrid.envs.wfc.wfclogic import control

# Rows of cells; # is black, which is a wall.
_PICTURES = {
    "MazeSimple": ".... .### .#.# .###",
    "DungeonMazeScaled": 2 * " ........" + 2 * " ..######" + 2 * " ..##..##" + 2 * " ..######",
    "RoomsFabric": "..#.. ..... ##### ..... ..#..",
    "ObstaclesBlackdots": "... .#. ...",
    "ObstaclesAngular": " ..........." + 4 * " .....#####." + 5 * " .#########." + " ...........",
    "ObstaclesHogs3": """
        .................
        .......#....#....
        ..#...###..###...
        .###...#....#....
        ..#..............
        .........#.......
        ....#...###...#..
        ...###...#...###.
        ....#.........#..
        .................
        .......#....#....
        ..#...###..###...
        .###...#....#....
        ..#..#...#....#..
        ....###.###..###.
        .....#...#....#..
        .................
    """,
}


@functools.cache
def provide_pictures() -> None:
    """Gives minigrid's presets a picture in memory, instead of a file that is not there.

    minigrid also remembers then what it would find out of a picture in every reset again.
    """
    from imageio.v2 import imwrite  # it takes half a second

    for name, text in _PICTURES.items():
        rows = [[0 if cell == "#" else 255 for cell in row] for row in text.split()]
        picture = np.stack([np.array(rows, np.uint8)] * 3, axis=-1)
        config.WFC_PRESETS[name].pattern_path = imwrite("<bytes>", picture, format="png")
    control.adjacency_extraction = _remembered(control.adjacency_extraction)


def _remembered(extract: Callable[..., Any]) -> Callable[..., Any]:
    known: dict[tuple[int, ...], Any] = {}

    def adjacency_extraction(grid: Any, catalog: dict[int, Any], *args: Any) -> Any:
        patterns = tuple(catalog)  # their hashes
        if patterns not in known:
            known[patterns] = extract(grid, catalog, *args)
        return known[patterns]

    return adjacency_extraction
