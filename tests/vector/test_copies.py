"""What was returned or sent stays what it was, although environments and callers reuse memory."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
from envpool.vector import AsyncVectorEnv, SyncVectorEnv

BOX = spaces.Box(-99, 99, (1,), np.float32)
SPACES: dict[str, spaces.Space[Any]] = {
    "Box": BOX,
    "Dict": spaces.Dict(a=BOX, b=spaces.Tuple((BOX, spaces.Discrete(99)))),
    "Dict with Text": spaces.Dict(a=BOX, t=spaces.Text(9)),
    "Graph": spaces.Graph(BOX, None),
    "Sequence": spaces.Sequence(BOX),
    "stacked Sequence": spaces.Sequence(BOX, stack=True),
    "OneOf": spaces.OneOf((BOX, spaces.Discrete(3))),
    "half floats": spaces.Box(-99, 99, (1,), np.float16),
}
WAYS: dict[str, Any] = {
    "SyncVectorEnv": SyncVectorEnv,
    "AsyncVectorEnv": lambda fns, **how: AsyncVectorEnv(fns, num_workers=1, context="fork", **how),
    "local": lambda fns, **how: AsyncVectorEnv(fns, num_workers=0, **how),
    "make_python": lambda fns, **how: envpool.make_python(
        fns, "gymnasium", num_workers=0, **{name: value.value for name, value in how.items()}
    ),
}
each_way = pytest.mark.parametrize("make", WAYS.values(), ids=WAYS)
SAME_STEP = gymnasium.vector.AutoresetMode.SAME_STEP


class Reuses(gymnasium.Env):
    """Writes the number of its steps into the same objects again and again.

    Args:
        space: What it observes.
    """

    action_space = spaces.Discrete(2)

    def __init__(self, space: spaces.Space[Any], length: int = 3) -> None:
        self.observation_space = space
        self.length = length
        self.array = np.zeros(1, space.dtype if space.dtype == np.float16 else np.float32)
        self.row = np.zeros((2, 1), np.float32)
        self.dict: dict[str, Any] = {"a": self.array, "b": (self.array, 0), "t": ""}
        self.info: dict[str, Any] = {"n": 0, "x": np.zeros(1), "d": {"y": np.zeros(1)}, "l": [0]}

    def observe(self, step: int) -> Any:
        self.time = step
        self.array[:] = self.row[:] = self.info["x"][:] = self.info["d"]["y"][:] = step
        self.info["n"] = self.info["l"][0] = step
        self.dict["t"] = str(step)
        self.dict["b"] = (self.array, step)
        match self.observation_space:
            case spaces.Dict():
                return self.dict
            case spaces.Graph():
                return spaces.GraphInstance(self.row, None, None)
            case spaces.Sequence(stack=is_stacked):
                return self.row if is_stacked else tuple(self.row)
            case spaces.OneOf():
                return 0, self.array
        return self.array

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return self.observe(0), self.info

    def step(self, action: Any) -> Any:
        observation = self.observe(self.time + 1)
        return observation, 0.0, self.time == self.length, False, self.info


def numbers(value: Any) -> set[float]:
    """The numbers in it."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        return {number for part in value if part is not None for number in numbers(part)}
    return {float(number) for number in np.ravel(np.asarray(value, object)) if number is not None}


@each_way
@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_last_observations_and_infos_are_the_old_episodes(
    make: Any, space: spaces.Space[Any]
) -> None:
    with make([lambda: Reuses(space)] * 2, autoreset_mode=SAME_STEP) as envs:
        envs.reset()
        kept = [envs.step(np.zeros(2, int)) for _ in range(4)]
    *_, info = kept[2]
    expected = {0.0, 3.0} if isinstance(space, spaces.OneOf) else {3.0}
    assert numbers(info["final_obs"][1]) == expected
    final = info["final_info"]
    assert final["n"].tolist() == [3, 3]
    assert final["x"].tolist() == final["d"]["y"].tolist() == [[3.0]] * 2
    assert final["l"].tolist() == [[3]] * 2
    assert info["n"].tolist() == [0, 0]
    assert [step[4]["l"][1] for step in kept] == [[1], [2], [0], [1]]


@each_way
@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_kept_observations_stay(make: Any, space: spaces.Space[Any]) -> None:
    with make([lambda: Reuses(space, 9)] * 2) as envs:
        kept = [envs.reset()[0], *(envs.step(np.zeros(2, int))[0] for _ in range(3))]
    ignored = {0.0} if isinstance(space, spaces.OneOf) else set()
    for step, observation in enumerate(kept):
        assert numbers(observation) - ignored == {float(step)} - ignored


def test_what_cannot_be_copied_stays_what_it_is() -> None:
    class Generates(Reuses):
        def step(self, action: Any) -> Any:
            *results, _ = super().step(action)
            return *results, {"g": (i for i in range(3)), "l": list(range(3))}

    with WAYS["make_python"]([lambda: Generates(BOX, 1)], autoreset_mode=SAME_STEP) as envs:
        envs.reset()
        *_, info = envs.step(np.zeros(1, int))
        assert list(info["final_info"]["g"][0]) == list(info["final_info"]["l"][0]) == [0, 1, 2]


class Hears(gymnasium.Env):
    """Tells what it was given."""

    observation_space = spaces.Discrete(2)

    def __init__(self, space: spaces.Space[Any]) -> None:
        self.action_space = space

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return 0, {"heard": repr(options)}

    def step(self, action: Any) -> Any:
        return 0, 0.0, False, False, {"heard": repr(action)}


def write_into(value: Any) -> None:
    """Changes all numbers in arrays and lists."""
    if isinstance(value, np.ndarray) and value.flags.writeable:
        value[...] += 1
    elif isinstance(value, dict | tuple | list):
        for part in value.values() if isinstance(value, dict) else value:
            write_into(part)
        if isinstance(value, list):
            value.append(7)


@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.parametrize("name", [*SPACES, "a list for a Sequence"])
def test_what_is_sent_is_as_of_then(name: str, num_workers: int) -> None:
    space = SPACES.get(name, SPACES["Sequence"])
    way = {"num_envs": 2, "num_workers": num_workers, "start_method": "fork"}
    with envpool.make_python(lambda: Hears(space), "gymnasium", **way) as env:
        options = {"x": [1], "y": {"z": np.ones(1)}}
        expected = env.reset(options=options)[1]["heard"].tolist()
        env.async_reset(options=options)
        write_into(options)
        assert env.recv(reset=True)[1]["heard"].tolist() == expected
        batch = gymnasium.vector.utils.batch_space(space, 2)
        batch.seed(3)
        actions: Any = batch.sample() if name in SPACES else ([1, 2], [3])
        if name == "OneOf":
            actions = ((0, np.ones(1, np.float32)), (1, 2))
        expected = env.step(actions)[4]["heard"].tolist()
        env.send(actions)
        before = repr(actions)
        write_into(actions)
        assert repr(actions) != before
        assert env.recv()[4]["heard"].tolist() == expected
