"""PointMaze computes the same bits as gymnasium-robotics does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from envpool.errors import EnvironmentFailure
from envpool.families.robotics.maps import MAPS
from helpers import OraclePair
from robotics_oracle import SEEDS, assert_same, make_ours, make_theirs, play, robotics

# Without a wall around it, and with all kinds of cells.
OWN_MAP = [["r", 0, "g"], [1, 1, 0], ["c", 0, "g"]]


def test_names_of_maps_are_theirs():
    for name, rows in MAPS.items():
        theirs = getattr(robotics.maps, name)
        assert rows == tuple("".join(map(str, row)) for row in theirs)


def chase(obs: Any) -> np.ndarray:
    """Pushes balls towards their goals."""
    place, velocity = np.split(obs["observation"], 2, axis=1)
    actions = 3 * (obs["desired_goal"] - place) - 0.3 * velocity
    return np.clip(actions, -1, 1).astype(np.float32)


@pytest.mark.parametrize("reset_target", [False, True])
@pytest.mark.parametrize("continuing_task", [False, True])
@pytest.mark.one_in(2)
def test_goals_that_are_reached(continuing_task, reset_target):
    options: dict[str, Any] = {"continuing_task": continuing_task, "reset_target": reset_target}
    pair = OraclePair("PointMaze_Open-v3", SEEDS, maze_map=OWN_MAP, **options)
    obs, ends = pair.first, 0
    for _ in range(400):
        obs, _, terminated, truncated, _ = pair.call("step", chase(obs))
        ends += int((terminated | truncated).sum())
    assert ends >= (6 if not continuing_task else 3)


@pytest.mark.parametrize(
    "own",
    [
        ["r0g", "110", "c0g"],
        np.array(OWN_MAP, dtype=object),
        [["r", "0", "g"], ["1", "1", "0"], ["c", "0", "g"]],
    ],
    ids=["strings", "array", "letters"],
)
def test_own_maps_in_other_forms(own):
    ours = make_ours("PointMaze_UMaze-v3", [3], maze_map=own)
    theirs = make_theirs("PointMaze_UMaze-v3", maze_map=OWN_MAP)
    expected, _ = theirs.reset(seed=3)
    obs, _ = ours.reset(seed=[3])
    for key, value in expected.items():
        assert_same(obs[key][0], value, key)


def test_reset_options_are_theirs():
    pair = OraclePair("PointMaze_Medium-v3", [1, 2])
    for options in (
        {},
        {"goal_cell": np.array([1, 1])},
        {"reset_cell": [6, 6], "goal_cell": [1, 2]},
    ):
        pair.call("reset", seed=1, options=options)
        play(pair, 1)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ([[1, 0], [0]], "row 1 of maze_map has 1 cells, expected 2, as the first one has"),
        (["11", "11"], "maze_map has too few free cells"),
        (["101"], "maze_map has too few free cells"),
        (["c11"], "maze_map has too few free cells"),
        (["10x"], "row 0 of maze_map has the cell 'x', expected 1"),
        ([[0, 2]], r"row 0 of maze_map has the cell 2, expected 1 \(a wall\)"),
        ([[0, None]], "row 0 of maze_map has the cell None"),
        ([], "maze_map is empty, expected rows of cells"),
        ([[]], "maze_map is empty, expected rows of cells"),
        (["0" * 201], "maze_map has 1 rows of 201 cells, expected at most 200"),
        ("U_MAZ", "maze_map is 'U_MAZ', of which there is no map.*U_MAZE"),
    ],
)
def test_maps_that_are_none_are_refused(own, message):
    with pytest.raises(ValueError, match=message):
        envpool.make_gymnasium("PointMaze_UMaze-v3", maze_map=own)


@pytest.mark.parametrize("own", [3, None, {"a": 1}, [1, 2]])
def test_what_is_no_map_at_all_is_refused(own):
    with pytest.raises(TypeError, match=r"maze_map"):
        envpool.make_gymnasium("PointMaze_UMaze-v3", maze_map=own)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goal_cell": [1]}, r"goal_cell is \[1\], expected two numbers"),
        ({"goal_cell": [1, 9]}, r"goal_cell is \[1, 9\], which is outside of maze_map"),
        ({"reset_cell": [-1, 1]}, r"reset_cell is \[-1, 1\], which is outside"),
        ({"reset_cell": [0, 0]}, r"reset_cell is \[0, 0\], which is a wall"),
    ],
)
def test_cells_that_are_none_are_refused_and_the_pool_goes_on(options, message):
    pool = envpool.make_gymnasium("PointMaze_UMaze-v3")
    with pytest.raises(EnvironmentFailure, match=message):
        pool.reset(options=options)
    pool.reset()
    pool.step(np.zeros((1, 2), np.float32))


def test_a_goal_that_leaves_no_place_to_begin_is_an_error_and_no_hang():
    pool = envpool.make_gymnasium("PointMaze_UMaze-v3", maze_map=["r00"])
    with pytest.raises(EnvironmentFailure, match="no cell to begin in"):
        pool.reset(options={"goal_cell": [0, 0]})
