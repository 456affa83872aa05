"""Pictures of Fetch and the hand: what gymnasium-robotics draws, goals included, pixel by pixel."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from envpool.oracles.mujoco import picture as their_picture
from helpers import assert_same_results
from opengl import FAST, assert_same_picture
from robotics_oracle import make_theirs

pytestmark = pytest.mark.usefixtures("opengl")

SIZE = {"render_mode": "rgb_array", "width": 64, "height": 48}
# Of each kind of model one, and all that pictures show otherwise.
EVERY_DAY = ["FetchPickAndPlace-v4", "HandManipulateBlockRotateZ-v1"]
LONG = [
    "HandReach-v3",
    "FetchReach-v4",
    "FetchPush-v4",
    "FetchSlide-v4",
    "HandManipulateEgg-v1",
    "HandManipulatePen-v1",
    "HandManipulateBlock_BooleanTouchSensors-v1",
    "HandManipulateEggRotate_ContinuousTouchSensors-v1",
    "HandManipulatePen_BooleanTouchSensors-v1",
]
ALL = [*EVERY_DAY, *(pytest.param(name, marks=pytest.mark.long) for name in LONG)]
TOUCH = "HandManipulateBlock_ContinuousTouchSensors-v1"


def make_vec(name: str, num_envs: int = 1, **options: Any) -> Any:
    return gymnasium.make_vec(f"envpool/{name}", num_envs, **(SIZE | options))


def compare(name: str, steps: int, default: bool = False, **options: Any) -> None:
    """Compares the picture after so many steps. Theirs go on otherwise once they have drawn."""
    ours, theirs = make_vec(name, **options), make_theirs(name, **SIZE, **options)
    if not default:
        ours.set_attr("render_shadow_size", 0)
        ours.set_attr("render_multisamples", 0)
        quality = theirs.unwrapped.model.vis.quality
        quality.shadowsize = quality.offsamples = 0
    ours.reset(seed=3)
    theirs.reset(seed=3)
    theirs.action_space.seed(0)
    for _ in range(steps):
        action = theirs.action_space.sample()
        ours.step(action[None])
        theirs.step(action)
    assert_same_picture(ours.render()[0], their_picture(theirs))
    theirs.close()


@pytest.mark.parametrize("name", ALL)
def test_pictures_are_theirs(name):
    compare(name, steps=4)


@pytest.mark.long
@pytest.mark.parametrize("name", [*EVERY_DAY, *LONG])
def test_first_pictures_are_theirs(name):
    compare(name, steps=0)


@pytest.mark.long
@pytest.mark.parametrize("name", [*EVERY_DAY, "HandReach-v3", TOUCH])
def test_pictures_in_full_quality_are_theirs(name):
    compare(name, steps=2, default=True)


@pytest.mark.long
@pytest.mark.parametrize("shown", ["off", "always"])
def test_touch_sensors_can_be_hidden(shown):
    compare(TOUCH, steps=1, touch_visualisation=shown)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EVERY_DAY)
def test_drawing_changes_nothing(name):
    drawn, other = make_vec(name, 2, **FAST), make_vec(name, 2, **FAST)
    assert_same_results(drawn.reset(seed=1), other.reset(seed=1))
    other.action_space.seed(0)
    for _ in range(3):
        drawn.render()
        action = other.action_space.sample()
        assert_same_results(drawn.step(action), other.step(action))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EVERY_DAY)
def test_what_is_observed_with_from_pixels_is_drawn(name):
    env = make_vec(name, 2, from_pixels=True, **FAST)
    for observe in (lambda: env.reset(seed=1), lambda: env.step(env.action_space.sample())):
        obs = observe()[0]
        pictures = np.stack(env.render())
        np.testing.assert_array_equal(obs, np.moveaxis(pictures, -1, 1))
        assert len({picture.tobytes() for picture in pictures}) == 2  # each has its own goal
