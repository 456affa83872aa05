"""Pictures of Fetch and the hand: what gymnasium-robotics draws, goals included, pixel by pixel."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from helpers import assert_same_results
from opengl import FAST, assert_same_picture
from robotics_oracle import ORACLE, SIZE, make_drawing

pytestmark = pytest.mark.usefixtures("opengl")

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


def compare(name: str, steps: int, default: bool = False, **options: Any) -> None:
    """Compares the picture after so many steps. Theirs go on otherwise once they have drawn."""
    ours, theirs = make_drawing(name, default, **options)
    for _ in range(steps):
        action = theirs.action_space.sample()
        ours.step(action[None])
        theirs.step(action)
    assert_same_picture(ours.render()[0], ORACLE.picture(theirs))
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


def make(name: str, **options: Any) -> Any:
    return gymnasium.make_vec(f"envpool/{name}", 2, **SIZE, **FAST, **options)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EVERY_DAY)
def test_drawing_changes_nothing(name):
    drawn, other = make(name), make(name)
    assert_same_results(drawn.reset(seed=1), other.reset(seed=1))
    other.action_space.seed(0)
    for _ in range(3):
        drawn.render()
        action = other.action_space.sample()
        assert_same_results(drawn.step(action), other.step(action))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EVERY_DAY)
def test_what_is_observed_with_from_pixels_is_drawn(name):
    env = make(name, from_pixels=True)
    for observe in (lambda: env.reset(seed=1), lambda: env.step(env.action_space.sample())):
        obs = observe()[0]
        pictures = np.stack(env.render())
        np.testing.assert_array_equal(obs, np.moveaxis(pictures, -1, 1))
        assert len({picture.tobytes() for picture in pictures}) == 2  # each has its own goal
