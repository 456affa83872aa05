"""Pictures of all robots: what gymnasium-robotics draws, goals included, pixel by pixel."""

from __future__ import annotations

from typing import Any

import pytest

from opengl import assert_same_picture
from robotics_oracle import ORACLE, make_drawing

pytestmark = pytest.mark.usefixtures("opengl")

# Of each kind of model one; test_originals.py compares all, in full quality.
EVERY_DAY = [
    "AdroitHandPen-v1",
    "PointMaze_Medium-v3",
    "FetchPickAndPlace-v4",
    "HandManipulateBlockRotateZ-v1",
]
TOUCH = "HandManipulateBlock_ContinuousTouchSensors-v1"


def compare(name: str, begin: str = "step", **options: Any) -> None:
    """Compares pictures of a step, a reset and the next episode, in which other things differ.

    Those of Fetch and the hand only once: theirs go on otherwise when they have drawn.
    """
    ours, theirs = make_drawing(name, **options)
    draws_once = name.startswith(("Fetch", "HandManipulate", "HandReach"))
    acts = [begin, "draw"] if draws_once else ["draw", "step", "draw", "reset", "draw"]
    seen = set()
    for act in acts:
        action = theirs.action_space.sample()
        if act == "draw":
            picture = ORACLE.picture(theirs)
            assert_same_picture(ours.render()[0], picture)
            seen.add(picture.tobytes())
        elif act == "step":
            for _ in range(4 if draws_once else 1):
                ours.step(action[None]), theirs.step(action)
        else:
            ours.reset(), theirs.reset()
    assert len(seen) > 1 or draws_once, "they show the same"
    theirs.close()


@pytest.mark.parametrize("begin", ["step", "reset"])
@pytest.mark.parametrize("name", EVERY_DAY)
@pytest.mark.one_in(2)
def test_pictures_are_theirs(name, begin):
    compare(name, begin)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("AdroitHandHammer-v1", {"camera_name": "vil_camera"}),
        ("AdroitHandHammer-v1", {"camera_id": 0}),
        pytest.param(TOUCH, {"touch_visualisation": "off"}, marks=pytest.mark.long),
        pytest.param(TOUCH, {"touch_visualisation": "always"}, marks=pytest.mark.long),
    ],
)
@pytest.mark.one_in(2)
def test_pictures_with_options_are_theirs(name, options):
    compare(name, **options)
