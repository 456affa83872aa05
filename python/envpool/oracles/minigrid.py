"""minigrid's environments, and its levels of BabyAI."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
from minigrid.core.roomgrid import RoomGrid
from minigrid.envs.wfc import config
from minigrid.envs.wfc.wfclogic import control
from minigrid.minigrid_env import MiniGridEnv

import minigrid  # noqa: F401 - registers them
from envpool.oracles.upstreams import Oracle

# Mostly forward, so that agents get somewhere: left, right, forward, pick up, drop, toggle, done.
WEIGHTS = np.array([3, 3, 10, 4, 2, 4, 0.5])

_MOST_TRIES = 1000
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


class Sorted(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Observations in the order of their space, with a direction of Python's integers.

    minigrid's have another order, and an integer of NumPy's where the direction was drawn; it shows
    in nothing but the last observations of episodes.
    """

    def observation(self, observation: dict[str, Any]) -> dict[str, Any]:
        """See Gymnasium."""
        spaces: Any = self.observation_space
        ordered = {key: observation[key] for key in spaces}
        ordered["direction"] = int(ordered["direction"])
        return ordered


@functools.cache
def end_endless_loops() -> None:
    """Makes minigrid reject a level where it tries for ever to place the agent in a full room.

    It happens in small rooms, as in the second episode of BabyAI-SynthS5R2-v0 with seed 3.
    """
    tries = 0
    in_room, anywhere = RoomGrid.place_agent, MiniGridEnv.place_agent

    def place_in_room(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal tries
        tries = 0
        return in_room(self, *args, **kwargs)

    def place(self: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal tries
        tries += 1
        if tries > _MOST_TRIES:
            raise RecursionError("no cell for the agent")
        return anywhere(self, *args, **kwargs)

    RoomGrid.place_agent = place_in_room
    MiniGridEnv.place_agent = place


def make_theirs(task_id: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """An environment of minigrid's.

    Args:
        task_id: Its id, which is ours, too.
        **options: By its names.
    """
    if "-WFC-" in task_id:
        provide_pictures()
    if task_id.startswith("BabyAI-"):
        end_endless_loops()
    return Sorted(gymnasium.make(task_id, disable_env_checker=True, **options).unwrapped)


class Environments(Oracle):
    """Grid worlds and levels of BabyAI."""

    def lack(self, task_id: str) -> str:
        """See :class:`Oracle`."""
        return "it plays maps of one's own, which minigrid has not" if "-Map-" in task_id else ""

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        return make_theirs(task_id, **options)

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Random ones that get somewhere."""
        rng = np.random.default_rng(seed)
        numbers: Any = space  # how many actions each environment has
        weights = WEIGHTS[: numbers.nvec[0]]
        while True:
            yield rng.choice(len(weights), len(numbers.nvec), p=weights / weights.sum())


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
