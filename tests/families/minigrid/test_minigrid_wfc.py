"""Levels by wave function collapse are minigrid's, bit for bit.

minigrid takes up to two seconds to make one, so most of these tests are long.
"""

from __future__ import annotations

import gymnasium
import networkx
import numpy as np
import pytest
from envpool.minigrid import decode_mission
from minigrid.envs.wfc.wfcenv import WFCEnv

import envpool
from helpers import make
from minigrid_oracle import compare, make_pair, play

TASKS = sorted(name for name in gymnasium.registry if name.startswith("MiniGrid-WFC-"))


@pytest.mark.parametrize("task_id", TASKS)
@pytest.mark.one_in(3)
def test_small_levels_are_minigrids(task_id):
    compare(task_id, 1, 5, 9, size=9, max_steps=6)


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1000, 2**40])
@pytest.mark.parametrize("task_id", TASKS)
def test_levels_are_minigrids(task_id, seed):
    pair = make_pair(task_id, 2, seed)
    play(pair, 100)
    pair.call("reset")
    pair.assert_same_generators()


@pytest.mark.one_in(12)
@pytest.mark.parametrize(
    "options",
    [{"size": 11, "ensure_connected": False}, {"size": 30, "see_through_walls": True}],
    ids=str,
)
@pytest.mark.parametrize("task_id", TASKS)
def test_options_are_minigrids(task_id, options):
    compare(task_id, 1, 8, 20, **options)


def test_a_small_component_has_the_order_of_a_set(monkeypatch):
    """networkx iterates over a set of cells, if they are less than half of those without a wall."""
    shares = []

    def largest(graph: networkx.Graph) -> networkx.Graph:
        cells = sum(data["navigable"] >= 0.5 for _, data in graph.nodes(data=True))
        component = theirs(graph)
        shares.append(len(component) / cells)
        return component

    theirs = WFCEnv._get_largest_component
    monkeypatch.setattr(WFCEnv, "_get_largest_component", staticmethod(largest))
    pair = make_pair("MiniGrid-WFC-MazeSimple-v0", 1, 2, size=12)
    pair.assert_same_generators()
    assert min(shares) < 0.5


def test_presets_are_options():
    options = {"wfc_config": "RoomsFabric"}
    assert envpool.make_spec("MiniGrid-WFC-MazeSimple-v0", **options).config.wfc_preset == (
        "RoomsFabric"
    )
    with pytest.raises(ValueError, match="wfc_preset"):
        envpool.make_spec("MiniGrid-WFC-MazeSimple-v0", wfc_config="Maze")


@pytest.mark.parametrize("task_id", TASKS)
def test_all_open_cells_hang_together(task_id):
    """In every level the agent can walk to the goal."""
    pool = envpool.make(
        task_id, "gymnasium", num_envs=20, image="full", see_through_walls=True, size=20
    )
    obs, _ = pool.reset()
    assert set(decode_mission(obs["mission"])) == {"traverse the maze to get to the goal"}
    for kinds in obs["image"][..., 0]:
        cells = [tuple(cell) for cell in np.argwhere(kinds != 2).tolist()]
        graph = networkx.grid_2d_graph(20, 20).subgraph(cells)
        assert networkx.is_connected(graph)
        assert (kinds == 8).sum() == (kinds == 10).sum() == 1
    assert len({image.tobytes() for image in obs["image"]}) == 20


def test_a_level_without_two_cells_side_by_side_is_a_failure():
    pool = make("MiniGrid-WFC-ObstaclesAngular-v0", 500, size=4)
    with pytest.raises(envpool.EnvironmentFailure, match="no cell is left for the goal"):
        pool.reset(seed=0)
