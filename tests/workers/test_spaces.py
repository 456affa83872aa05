"""Batches of spaces' elements, as Gymnasium's vector environments make and split them."""

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from envpool.errors import ArgumentError
from envpool.workers.spaces import SpaceLeaves, describe
from helpers import assert_identical

ROWS = 3


class Words(spaces.Space):
    """A space that Gymnasium does not know."""

    def sample(self, mask: Any = None, probability: Any = None) -> list[str]:
        return ["some"] * int(self.np_random.integers(3))

    def contains(self, x: Any) -> bool:
        return isinstance(x, list)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words)

    __hash__ = spaces.Space.__hash__


ARRAYS = {
    "Box": spaces.Box(-1.0, 1.0, (2, 3), np.float32),
    "Box of one number": spaces.Box(-1.0, 1.0, (), np.float64),
    "Discrete": spaces.Discrete(5, start=-2),
    "MultiDiscrete": spaces.MultiDiscrete([[2, 3], [4, 5]]),
    "MultiBinary": spaces.MultiBinary((2, 2)),
    "Tuple": spaces.Tuple((spaces.Discrete(3), spaces.Box(0, 1, (2,)))),
    "Dict": spaces.Dict({"b": spaces.Discrete(3), "a": spaces.Dict(c=spaces.Box(0, 9, (2,)))}),
    "odd keys": spaces.Dict({"a.b": spaces.Discrete(2), "a": spaces.Dict(b=spaces.Discrete(3))}),
    "numbers as keys": spaces.Dict({1: spaces.Discrete(2), 0: spaces.Discrete(3)}),
}
OBJECTS = {
    "Text": spaces.Text(5),
    "Sequence": spaces.Sequence(spaces.Box(0, 1, (2,))),
    "stacked Sequence": spaces.Sequence(spaces.Box(0, 1, (2,)), stack=True),
    "Graph": spaces.Graph(spaces.Box(0, 1, (2,)), spaces.Discrete(3)),
    "OneOf": spaces.OneOf((spaces.Discrete(3), spaces.Box(0, 1, (2,)))),
    "custom": Words(),
    "half floats": spaces.Box(-1, 1, (2,), np.float16),
    "mixed Tuple": spaces.Tuple((spaces.Text(5), spaces.Discrete(3), Words())),
    "mixed Dict": spaces.Dict(
        x=spaces.Tuple((spaces.Box(0, 1, (2,)), spaces.Sequence(spaces.Discrete(3)))),
        name=spaces.Text(4),
    ),
}
SPACES = ARRAYS | OBJECTS


def columns_of(leaves: SpaceLeaves, elements: list[Any]) -> dict[str, np.ndarray]:
    """What the native pool makes of the arrays."""
    return {
        f"obs.{leaf.name}": np.stack([np.asarray(leaf.of(x), leaf.space.dtype) for x in elements])
        for leaf in leaves.arrays
    }


def build(plan: Any, columns: dict[str, np.ndarray]) -> Any:
    if isinstance(plan, dict):
        return {key: build(part, columns) for key, part in plan.items()}
    if isinstance(plan, tuple):
        return tuple(build(part, columns) for part in plan)
    return columns[plan]


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_batches_are_gymnasiums(space):
    leaves = SpaceLeaves(space, "obs")
    space.seed(1)
    elements = [space.sample() for _ in range(ROWS)]
    arrays = build(leaves.plan(), columns_of(leaves, elements))
    ours = leaves.batch(arrays, [leaves.pick_objects(element) for element in elements])
    theirs = concatenate(space, elements, create_empty_array(space, n=ROWS))
    assert_identical(ours, theirs)


@pytest.mark.parametrize("space", ARRAYS.values(), ids=ARRAYS)
def test_arrays_of_actions_are_what_gymnasium_iterates_over(space):
    leaves = SpaceLeaves(space, "action")
    assert not leaves.objects
    batch = batch_space(space, ROWS)
    batch.seed(1)
    actions = batch.sample()
    columns = leaves.split(actions)
    ours = [leaves.assemble([column[row] for column in columns]) for row in range(ROWS)]
    assert_identical(ours, list(iterate(batch, actions)))


def test_actions_keep_their_types():
    (column,) = SpaceLeaves(spaces.Discrete(3), "action").split(np.array([1, 2], np.int16))
    assert column.dtype == np.int16


def test_an_action_that_lacks_a_part_is_named():
    space = spaces.Dict(a=spaces.Tuple((spaces.Discrete(2), spaces.Dict(b=spaces.Discrete(2)))))
    with pytest.raises(ArgumentError, match=r"action\['a'\]\[1\] is \{\}, .* the part 'b'"):
        SpaceLeaves(space, "action").split({"a": ([1], {})})


def test_no_rows():
    space = OBJECTS["mixed Dict"]
    batch = SpaceLeaves(space, "obs").batch((np.zeros((0, 2), np.float32),), [])
    assert_identical(batch, {"x": (np.zeros((0, 2), np.float32), ()), "name": ()})


def test_fields_tell_bounds():
    leaves = SpaceLeaves(
        spaces.Dict(
            box=spaces.Box(np.array([-1, 0]), np.array([1, np.inf]), dtype=np.float64),
            discrete=spaces.Discrete(3, start=-1),
            integers=spaces.Box(-(2**63), 2**63 - 1, (2,), np.int64),
            multi=spaces.MultiDiscrete([2, 3]),
            switches=spaces.MultiBinary(2),
        ),
        "action",
    )
    fields = {field.pop("name"): field for field in describe(leaves, leaves, None)["action"]}
    assert fields["box"] == {
        "dtype": "float64",
        "shape": (2,),
        "low": [-1.0, 0.0],
        "high": [1.0, np.inf],
        "space": "box",
        "per_player": False,
    }
    assert fields["discrete"] == {
        "dtype": "int64",
        "shape": (),
        "low": [-1.0],
        "high": [1.0],
        "space": "discrete",
        "per_player": False,
    }
    assert fields["integers"]["low"] == [-np.inf]
    assert fields["integers"]["high"] == [np.inf]
    assert fields["multi"]["high"] == [1.0, 2.0]
    assert (fields["switches"]["low"], fields["switches"]["high"]) == ([0.0], [1.0])
