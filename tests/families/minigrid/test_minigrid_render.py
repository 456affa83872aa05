"""Pictures of grid worlds have the pixels of minigrid's."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from envpool.oracles.minigrid import make_theirs
from helpers import assert_same_bytes

# Between them they have all objects, doors in all states, and an agent that carries something.
TASKS = [
    "MiniGrid-Playground-v0",
    "MiniGrid-ObstructedMaze-1Dlhb-v0",
    "MiniGrid-LavaCrossingS9N3-v0",
    "MiniGrid-DoorKey-6x6-v0",
]
STYLES: list[dict[str, Any]] = [{}, {"highlight": False}, {"agent_pov": True}]


def compare_pictures(task_id: str, steps: int, **options: Any) -> None:
    options |= {"render_mode": "rgb_array", "disable_env_checker": True}
    ours = gymnasium.make(f"envpool/{task_id}", **options).unwrapped
    del options["disable_env_checker"]
    theirs = make_theirs(task_id, **options).unwrapped
    for env in (ours, theirs):
        env.reset(seed=4)
    rng = np.random.default_rng(0)
    for step in range(steps):
        assert_same_bytes(ours.render(), theirs.render(), f"step {step}")
        action = int(rng.choice([0, 1, 2, 2, 2, 3, 3, 4, 5]))
        _, _, terminated, truncated, _ = ours.step(action)
        theirs.step(action)
        if terminated or truncated:
            ours.reset()
            theirs.reset()


@pytest.mark.parametrize("style", STYLES, ids=str)
@pytest.mark.parametrize("task_id", TASKS)
def test_pictures_have_minigrids_pixels(task_id, style):
    compare_pictures(task_id, 40, tile_size=7, **style)


@pytest.mark.long
@pytest.mark.parametrize("tile_size", [*range(1, 20), 32, 45, 64])
@pytest.mark.parametrize("task_id", TASKS)
def test_tiles_of_all_sizes_have_minigrids_pixels(task_id, tile_size):
    compare_pictures(task_id, 60, tile_size=tile_size)


@pytest.mark.parametrize("agent_pov", [False, True])
def test_an_agent_that_starts_with_an_object_is_drawn_with_it(agent_pov):
    compare_pictures("BabyAI-PutNextS5N2Carrying-v0", 3, tile_size=9, agent_pov=agent_pov)


def test_a_view_through_walls_is_drawn_with_all_that_is_in_it():
    compare_pictures(TASKS[3], 20, tile_size=5, agent_pov=True, see_through_walls=True)


def test_pictures_are_as_large_as_is_asked_for():
    def picture(**options: Any) -> np.ndarray:
        env = gymnasium.make("envpool/MiniGrid-DoorKey-8x8-v0", render_mode="rgb_array", **options)
        env.reset(seed=3)
        return env.render()

    small = picture(tile_size=8)
    assert small.shape == (64, 64, 3)
    # A whole number of pixels to a tile: the tiles themselves are of that size.
    large = picture(tile_size=8, render_width=256, render_height=256)
    assert_same_bytes(large, picture(tile_size=32))
    # Otherwise pixels are repeated.
    wide = picture(tile_size=8, render_width=128, render_height=64)
    assert_same_bytes(wide, small.repeat(2, axis=1))
