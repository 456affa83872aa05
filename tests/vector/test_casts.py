"""Observations of another type or shape: AsyncVectorEnv takes what Gymnasium's does."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import (
    create_shared_memory,
    read_from_shared_memory,
    write_to_shared_memory,
)

import envpool
from envpool.vector import AsyncVectorEnv, SyncVectorEnv
from helpers import assert_identical

FLOATS = spaces.Box(-9, 9, (2,), np.float32)
INTS = spaces.Box(-9, 9, (2,), np.int64)
BYTES = spaces.Box(0, 255, (2,), np.uint8)
HALVES = spaces.Box(-9, 9, (2,), np.float16)
PAIR = spaces.Tuple((spaces.Discrete(5), FLOATS))
# Only what Gymnasium's SyncVectorEnv refuses.
CAST: dict[str, tuple[spaces.Space[Any], Any]] = {
    "floats for integers": (INTS, np.array([1.0, 2.7])),
    "a list of floats for integers": (INTS, [1.0, 2.7]),
    "large integers for bytes": (BYTES, np.array([7, 300])),
    "a list for bytes": (BYTES, [7, 200]),
    "a row": (FLOATS, np.ones((1, 2), np.float32)),
    "a column": (FLOATS, np.array([[1], [2]], np.float32)),
    "a flat matrix": (spaces.Box(-9, 9, (2, 3)), np.arange(6.0)),
    "a turned matrix": (spaces.Box(-9, 9, (2, 3)), np.asfortranarray(np.arange(6.0).reshape(3, 2))),
    "an array for a number": (spaces.Discrete(5), np.array([3])),
    "a float for a number": (spaces.Discrete(5), 3.7),
    "a number for an array of one": (spaces.Box(-9, 9, (1,)), 2.0),
    "a number for all": (FLOATS, 3),
    "one number for all": (FLOATS, [[[2.5]]]),
    "None": (FLOATS, None),
    "objects": (FLOATS, np.array([1, 2.5], object)),
    "text": (FLOATS, ["1", "2.5"]),
    "floats for bits": (spaces.MultiBinary(3), [1.0, 0.0, 1.0]),
    "floats for choices": (spaces.MultiDiscrete([3, 4]), np.array([[1.5, 2.5]])),
    "a dict": (spaces.Dict(a=spaces.Discrete(5), b=INTS), {"b": [1.5, 2.5], "a": [3]}),
    "a list for a tuple": (PAIR, [np.float32(2), [[1, 2]]]),
    "a column of half floats": (HALVES, np.ones((2, 1))),
    "integers for half floats": (HALVES, 3),
}
REFUSED: dict[str, tuple[spaces.Space[Any], Any]] = {
    "too many": (FLOATS, np.ones(3)),
    "nothing": (FLOATS, []),
    "ragged": (FLOATS, [[1], [1, 2]]),
    "words": (FLOATS, ["one", "two"]),
    "None for integers": (INTS, None),
    "too large for bytes": (BYTES, [7, 300]),
    "too many half floats": (HALVES, np.ones(3)),
}


class Says(gymnasium.Env):
    action_space = spaces.Discrete(2)

    def __init__(self, space: spaces.Space[Any], value: Any) -> None:
        self.observation_space = space
        self.value = value

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return self.value, {}

    def step(self, action: Any) -> Any:
        return self.value, 0.0, False, False, {}


def shared(space: spaces.Space[Any], value: Any) -> Any:
    """What Gymnasium's shared memory makes of it, for two environments."""
    memory = create_shared_memory(space, 2)
    for i in range(2):
        write_to_shared_memory(space, i, value, memory)
    return read_from_shared_memory(space, memory, 2)


@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.parametrize(("space", "value"), CAST.values(), ids=CAST)
def test_observations_are_cast(space: spaces.Space[Any], value: Any, num_workers: int) -> None:
    factories = [functools.partial(Says, space, value)] * 2
    with AsyncVectorEnv(factories, num_workers=num_workers, context="fork") as envs:
        for observations in (envs.reset()[0], envs.step([0, 0])[0]):
            assert_identical(observations, shared(space, value))


@pytest.mark.filterwarnings("ignore:.*ERROR")  # what is logged
@pytest.mark.parametrize(("space", "value"), [*CAST.values()][:6])
def test_without_shared_memory_types_must_fit(space: spaces.Space[Any], value: Any) -> None:
    factories = [functools.partial(Says, space, value)] * 2
    for make in (
        SyncVectorEnv,
        functools.partial(AsyncVectorEnv, shared_memory=False, num_workers=0),
    ):
        with make(factories) as envs, pytest.raises((TypeError, ValueError)):
            envs.reset()
    failure = pytest.raises(envpool.EnvironmentFailure, match="obs has")
    with envpool.make_python(factories, "gymnasium", num_workers=0) as env, failure:
        env.reset()


@pytest.mark.filterwarnings("ignore:.*ERROR")  # what is logged
@pytest.mark.parametrize(("space", "value"), REFUSED.values(), ids=REFUSED)
def test_what_gymnasiums_refuses_fails(space: spaces.Space[Any], value: Any) -> None:
    with pytest.raises(Exception) as expected:
        shared(space, value)
    factories = [functools.partial(Says, space, value)]
    with AsyncVectorEnv(factories, num_workers=0) as envs, pytest.raises(expected.type):
        envs.reset()
