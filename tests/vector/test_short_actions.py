"""Too few actions, or none: refused as by Gymnasium's, before anybody is stepped."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
from envpool.errors import ArgumentError
from envpool.vector import AsyncVectorEnv, SyncVectorEnv
from vector_envs import in_two_processes, sync

ENVS = 4
_POINT = spaces.Box(-1, 1, (2,))
SPACES: dict[str, spaces.Space[Any]] = {
    "Discrete": spaces.Discrete(3),
    "Box": _POINT,
    "Box of one number": spaces.Box(-1, 1, ()),
    "Box of half floats": spaces.Box(-1, 1, (2,), np.float16),
    "MultiDiscrete": spaces.MultiDiscrete([2, 3]),
    "MultiBinary": spaces.MultiBinary(3),
    "Dict": spaces.Dict(a=spaces.Discrete(2), b=_POINT),
    "Tuple": spaces.Tuple((spaces.Discrete(2), _POINT)),
    "Text": spaces.Text(3),
    "Sequence": spaces.Sequence(spaces.Discrete(3)),
    "Graph": spaces.Graph(_POINT, None),
    "OneOf": spaces.OneOf((spaces.Discrete(2), _POINT)),
    "Dict with Text": spaces.Dict(a=spaces.Text(3), b=spaces.Discrete(2)),
    "Tuple with a Sequence": spaces.Tuple((spaces.Sequence(spaces.Discrete(3)), _POINT)),
}
NOTHING = [[], (), {}, None, np.zeros(0), np.zeros((0, 2)), np.zeros((0, 5), int), [[]], 0]


class Clock(gymnasium.Env):
    """Observes the number of its steps."""

    observation_space = spaces.Box(0, np.inf, (), np.float64)

    def __init__(self, space: spaces.Space[Any]) -> None:
        self.action_space = space
        self.time = 0

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.time = 0
        return 0.0, {}

    def step(self, action: Any) -> Any:
        self.time += 1
        return float(self.time), 0.0, False, False, {}


def cut(batch: Any, count: int) -> Any:
    """The first rows of a batch."""
    if isinstance(batch, dict):
        return {key: cut(part, count) for key, part in batch.items()}
    if isinstance(batch, tuple) and isinstance(batch[0], np.ndarray | tuple) and len(batch) != ENVS:
        return tuple(cut(part, count) for part in batch)
    return batch[:count]


def clocks(space: spaces.Space[Any], count: int = ENVS) -> list[Any]:
    return [functools.partial(Clock, space)] * count


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("make", [sync, in_two_processes])
def test_what_gymnasiums_refuses_is_refused(make: Any, space: spaces.Space[Any]) -> None:
    theirs = gymnasium.vector.SyncVectorEnv(clocks(space))
    theirs.action_space.seed(1)
    good = theirs.action_space.sample()
    tried = 0
    with make(clocks(space)) as envs:
        envs.reset()
        envs.step(good)
        for actions in (*NOTHING, *(cut(good, count) for count in range(ENVS))):
            theirs.reset()
            try:
                theirs.step(actions)
                continue
            except Exception:
                tried += 1
            with pytest.raises(Exception) as refused:
                envs.step(actions)
            assert not isinstance(refused.value, envpool.EnvironmentFailure)
        assert tried > 8
        assert envs.step(good)[0].tolist() == [2.0] * ENVS


@pytest.mark.parametrize("name", ["Text", "Graph", "Tuple with a Sequence"])
@pytest.mark.parametrize("num_workers", [0, 2])
def test_pools_count_the_rows_for_their_ids(name: str, num_workers: int) -> None:
    space = SPACES[name]
    way = {"num_workers": num_workers, "start_method": "fork"}
    with envpool.make_python(clocks(space), "gymnasium", **way) as env:
        env.reset()
        batch = gymnasium.vector.utils.batch_space(space, ENVS)
        good = batch.sample()
        ids = np.array([3, 1])
        for call in (env.step, env.send):
            for actions, env_id in ((cut(good, 1), ids), (cut(good, 3), ids), (cut(good, 2), None)):
                with pytest.raises(ArgumentError, match=r"action has \d rows, expected"):
                    call(actions, env_id)
        env.step(cut(good, 2), ids)
        assert env.step(good)[0].tolist() == [1, 2, 1, 2]


def test_actions_that_come_one_by_one_are_taken() -> None:
    """As Gymnasium's take them, which iterate over whatever it is."""
    for make in (SyncVectorEnv, functools.partial(AsyncVectorEnv, num_workers=0)):
        with make(clocks(spaces.Discrete(3))) as envs:
            envs.reset()
            assert envs.step(iter([0, 1, 2, 0]))[0].tolist() == [1.0] * ENVS
