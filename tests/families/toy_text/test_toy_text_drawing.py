"""The drawers of toy_text: every scene has a picture of its own, whatever was drawn before."""

import numpy as np
import pytest

import envpool
from envpool.families.toy_text.drawing import DRAWERS
from envpool.tasks.registry import registry
from helpers import GYMNASIUM

pytest.importorskip("pygame")

TASKS = [name for name, task in registry.tasks.items() if task.import_path.endswith("toy_text")]


def scene(**numbers):
    return {name: np.atleast_1d(np.float64(value)) for name, value in numbers.items()}


def options_of(task_id, **options):
    """As they reach the native environment."""
    return envpool.make_spec(task_id, **options).options.of(0)


SCENES = {
    "FrozenLake": [scene(state=s) for s in range(16)],
    "CliffWalking": [scene(state=s) for s in (0, 13, 36, 47)],
    "Taxi": [scene(state=s, orientation=o) for s in (0, 18, 499) for o in range(4)],
    "Blackjack": [
        scene(player_sum=n, dealer_card=10, usable_ace=ace, dealer_suit=suit, dealer_face=face)
        for n, ace in ((4, 0), (21, 1), (30, 0))
        for suit in range(4)
        for face in range(3)
    ],
    "NChain": [scene(state=s) for s in range(5)],
    "Catch": [
        scene(ball=(row, column), paddle=(9, paddle))
        for row in (0, 8, 9)
        for column in range(5)
        for paddle in (0, 4)
    ],
}
SIZES = {
    "FrozenLake": (256, 256),
    "CliffWalking": (256, 768),
    "Taxi": (456, 536),
    "Blackjack": (376, 384),
    "NChain": (48, 240),
    "Catch": (480, 240),
}


def test_every_environment_has_a_drawer():
    names = {envpool.make_spec(name).env_type.name for name in TASKS}
    assert names == set(DRAWERS) == set(SCENES)


@pytest.mark.parametrize("name", DRAWERS)
def test_pictures_depend_on_the_scene_only(name):
    """All scenes look different, except holes; and whatever was drawn before, each as at first.

    Gymnasium before 1.4 draws other sizes, which a pool scales, and holes that have cracked.
    """
    task_id = next(task for task in TASKS if task.startswith(f"{name}-"))
    drawer = DRAWERS[name](options_of(task_id))
    first = [drawer.draw(each) for each in SCENES[name]]
    again = [drawer.draw(each) for each in reversed(SCENES[name])][::-1]
    for one, other in zip(first, again, strict=True):
        if GYMNASIUM >= (1, 4):
            assert one.shape == (*SIZES[name], 3)
        np.testing.assert_array_equal(one, other)
    hides = name == "FrozenLake" and GYMNASIUM >= (1, 4)
    holes = 3 if hides else 0  # of four, which all hide the agent
    assert len({picture.tobytes() for picture in first}) == len(first) - holes


def test_sizes_of_catch():
    drawer = DRAWERS["Catch"](options_of("Catch-v0", height=3, width=4))
    assert drawer.draw(scene(ball=(0, 0), paddle=(2, 2))).shape == (144, 192, 3)
    for cells in (120, 121, 300, 700, 1000):
        drawer = DRAWERS["Catch"](options_of("Catch-v0", height=cells, width=cells))
        one, other = (
            drawer.draw(scene(ball=(1, column), paddle=(cells - 1, 0))) for column in (0, 1)
        )
        size = len(one) // cells
        assert one.shape == (size * cells, size * cells, 3)
        assert (one != other).any()
        np.testing.assert_array_equal(one[:, 2 * size :], other[:, 2 * size :])
