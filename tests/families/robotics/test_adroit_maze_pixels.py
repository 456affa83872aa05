"""Pictures of Adroit's hand, mazes and the kitchen: what gymnasium-robotics draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool
from helpers import assert_same_bytes, assert_same_results
from opengl import FAST, assert_same_picture
from robotics_oracle import ORACLE, make_drawing

pytestmark = pytest.mark.usefixtures("opengl")

EVERY_DAY = ["AdroitHandPen-v1", "PointMaze_Medium-v3"]
LONG = [
    "AdroitHandDoor-v1",
    "AdroitHandHammer-v1",
    "AdroitHandRelocate-v1",
    "PointMaze_Large-v3",
    "AntMaze_UMaze-v5",
    "FrankaKitchen-v1",
]
ALL = [*EVERY_DAY, *(pytest.param(name, marks=pytest.mark.long) for name in LONG)]


def compare(name: str, default: bool = False, **options: Any) -> None:
    """Compares pictures of a reset, a step and the next episode, in which other things differ."""
    ours, theirs = make_drawing(name, default, **options)
    seen = set()
    for act in ("draw", "step", "draw", "reset", "draw"):
        action = theirs.action_space.sample()
        if act == "draw":
            picture = ORACLE.picture(theirs)
            assert_same_picture(ours.render()[0], picture)
            seen.add(picture.tobytes())
        else:
            ours.step(action[None]) if act == "step" else ours.reset()
            theirs.step(action) if act == "step" else theirs.reset()
    assert len(seen) > 1, "they show the same"
    theirs.close()


@pytest.mark.parametrize("name", ALL)
def test_pictures_are_theirs(name):
    compare(name)


@pytest.mark.long
@pytest.mark.parametrize("name", [*EVERY_DAY, *LONG])
def test_pictures_in_full_quality_are_theirs(name):
    compare(name, default=True)


@pytest.mark.parametrize("options", [{"camera_name": "vil_camera"}, {"camera_id": 0}], ids=str)
@pytest.mark.one_in(2)
def test_pictures_of_cameras_are_theirs(options):
    compare("AdroitHandHammer-v1", **options)


def make(name: str, **options: Any) -> Any:
    size = {"render_width": 40, "render_height": 30}
    return envpool.make_gymnasium(name, render_mode="rgb_array", **FAST, **size, **options)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["AdroitHandRelocate-v1", "PointMaze_Medium-v3"])
def test_a_snapshot_has_what_pictures_show(name):
    pool, other = (make(name, seed=seed) for seed in (1, 2))
    action = np.full((1, *pool.action_space.shape), 0.5, np.float32)
    for each in (pool, other):
        each.reset()
        each.step(action)
    expected = pool.render([0])
    assert (other.render([0]) != expected).any()
    other.set_state(pool.get_state())
    assert_same_bytes(other.render([0]), expected)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["AdroitHandDoor-v1", "PointMaze_Medium-v3"])
def test_pictures_can_be_observed(name):
    pool, plain = (
        make(name, num_envs=2, seed=1, max_episode_steps=2, from_pixels=each)
        for each in (True, False)
    )
    action = np.full((2, *plain.action_space.shape), 0.3, np.float32)
    results, others = pool.reset(), plain.reset()
    for _ in range(4):  # the third step resets
        pictures = plain.render([0, 1])
        assert_same_bytes(results[0], np.ascontiguousarray(np.moveaxis(pictures, -1, 1)))
        assert (pictures[0] != pictures[1]).any()  # each has its own goal
        assert_same_results(results[1:], others[1:])
        results, others = pool.step(action), plain.step(action)
