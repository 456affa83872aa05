"""Infos and observations that cannot be written, read or put together."""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool
from envpool.vector import AsyncVectorEnv, SyncVectorEnv
from parallel_envs import Herd
from pools import FORKED, local_or_forked

SAY, END = 1, 2  # actions


class Reads:
    """Is pickled as a call, which its reader makes."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


class Unwritable:
    def __reduce__(self) -> Any:
        raise GeneratorExit("not at all")


def throw(kind: type[BaseException]) -> None:
    raise kind("as told")


def circular() -> dict[str, Any]:
    info: dict[str, Any] = {}
    info["a"] = info
    return info


# What is not to be merged with {"a": 1, "b": zeros(2)}, or not at all, and where it has its fault.
TYPES: dict[str, Callable[[], dict[str, Any]]] = {
    "text": lambda: {"a": "text"},
    "a dict": lambda: {"a": {"b": 1}},
    "None": lambda: {"a": None},
    "NaN": lambda: {"a": np.nan},
    "70 bits": lambda: {"a": 2**70},
    "another shape": lambda: {"b": np.zeros(3)},
    "a list of another length": lambda: {"b": [1, 2, 3]},
    "a complex number": lambda: {"a": 1j},
}
UNREADABLE: dict[str, tuple[Callable[[], dict[str, Any]], type[BaseException]]] = {
    "a missing module": (lambda: {"a": Reads(__import__, "of_workers_only")}, ModuleNotFoundError),
    "an exception": (lambda: {"x": 1, "a": [Reads(throw, KeyError)]}, KeyError),
}


def unwritable() -> dict[str, Any]:
    return {"x": np.ones(2), "a": Unwritable()}


class Talker(gymnasium.Env):
    """Has an odd info at the beginning of an episode or in a step, if it is told to.

    Args:
        odd: Makes that info.
    """

    observation_space: spaces.Space[Any] = spaces.Box(-99, 99, (1,), np.float64)
    action_space = spaces.Discrete(3)

    def __init__(self, odd: Callable[[], dict[str, Any]]) -> None:
        self.odd = odd
        self.steps = 0

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.steps = 0
        return np.zeros(1), self.odd() if options else {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        info = self.odd() if action else {"a": 1, "b": np.zeros(2)}
        return np.float64([self.steps]), 1.0, action == END, False, info


def talkers(odd: Callable[[], dict[str, Any]], count: int = 3) -> list[Callable[[], Any]]:
    return [functools.partial(Talker, odd)] * count


def failure_of(call: Callable[[], Any], *env_ids: int) -> envpool.EnvironmentFailure:
    with pytest.raises(envpool.EnvironmentFailure) as caught:
        call()
    assert caught.value.env_ids == caught.value.to_reset == list(env_ids)
    return caught.value


@local_or_forked
@pytest.mark.parametrize("odd", TYPES.values(), ids=TYPES)
def test_other_types_are_objects(way: dict[str, Any], odd: Callable[[], dict[str, Any]]) -> None:
    with envpool.make_python(talkers(odd), "gymnasium", **way) as env:
        env.reset()
        observation, *_, info = env.step(np.array([0, SAY, 0]))
        assert observation.ravel().tolist() == [1, 1, 1]
        ((key, value),) = odd().items()
        assert info[key].dtype == object
        assert repr(info[key][1]) == repr(value)
        assert np.array_equal(info[key][2], [0, 0] if key == "b" else 1)
        assert info["_a"].tolist() == [True, key == "a", True]
        *_, info = env.step(np.zeros(3, int))
        assert info["a"].dtype == int


@local_or_forked
@pytest.mark.filterwarnings("ignore:.*ERROR")  # what is logged
@pytest.mark.parametrize("odd", TYPES.values(), ids=TYPES)
def test_vector_environments_refuse_what_gymnasiums_do(
    way: dict[str, Any], odd: Callable[[], dict[str, Any]]
) -> None:
    theirs = gymnasium.vector.SyncVectorEnv(talkers(odd))
    theirs.reset()
    with pytest.raises(Exception) as expected:
        theirs.step([0, SAY, 0])
    with AsyncVectorEnv(talkers(odd), num_workers=way["num_workers"], context="fork") as envs:
        envs.reset()
        with pytest.raises((expected.type, TypeError)) as raised:
            envs.step([0, SAY, 0])
        (key,) = odd()
        assert raised.value.__notes__[0].startswith(f"info['{key}'] of environment 1 is ")
        assert envs.step([0, 0, 0])[0].ravel().tolist() == [2, 2, 2]


@pytest.mark.parametrize(("odd", "kind"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_raised(
    odd: Callable[[], dict[str, Any]], kind: type[BaseException]
) -> None:
    with envpool.make_python(talkers(odd), "gymnasium", **FORKED) as env:
        env.reset()
        with pytest.raises(kind) as raised:
            env.step(np.array([0, SAY, 0]))
        assert raised.value.__notes__ == ["what environment 1 returned cannot be unpickled here"]
        assert env.step(np.zeros(3, int))[0].ravel().tolist() == [2, 2, 2]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_what_cannot_be_written_is_told(mode: str) -> None:
    kind = GeneratorExit
    options = {"autoreset_mode": mode} | FORKED
    with envpool.make_python(talkers(unwritable), "gymnasium", **options) as env:
        env.reset()
        for action in (SAY, END):
            failure = failure_of(lambda a=action: env.step(np.array([0, a, 0])), 1)  # type: ignore[misc]
            assert kind.__name__ in failure.messages[0]
            assert isinstance(failure.__cause__, kind)
            observation, *_, info = failure.results
            assert observation.ravel().tolist() == [1, 1]
            assert info["env_id"].tolist() == [0, 2]
            assert info["b"].shape == (2, 2)
            with pytest.raises(RuntimeError, match="environment 1 has failed: reset it first"):
                env.step(np.zeros(3, int))
            env.reset()
        failure = failure_of(lambda: env.reset(options={"odd": True}), 0, 1, 2)
        assert len(failure.results[0]) == 0
        env.reset(np.array([1]))
        env.reset(np.array([2, 0]))
        env.step(np.zeros(3, int))


@local_or_forked
def test_infos_that_contain_themselves(way: dict[str, Any]) -> None:
    with envpool.make_python(talkers(circular), "gymnasium", **way) as env:
        env.reset()
        with pytest.raises(RecursionError):
            env.step(np.array([SAY, SAY, 0]))
        assert env.step(np.zeros(3, int))[0].ravel().tolist() == [2, 2, 2]


def test_asynchronous_pools_go_on() -> None:
    taken = np.zeros(4, int)
    with envpool.make_python(talkers(unwritable, 4), "gymnasium", batch_size=2, **FORKED) as env:
        env.async_reset()
        for i in range(60):
            try:
                results = env.recv(timeout=30)
            except envpool.EnvironmentFailure as failure:
                env.async_reset(failure.to_reset)
                results = failure.results
            ids = results[-1]["env_id"]
            taken[ids] += 1
            env.send(np.full(len(ids), SAY if i % 3 == 2 else 0), ids)
    assert taken.min() > 3


class Ragged(Talker):
    """Observes what Gymnasium makes arrays of, but envpool's core does not: half floats."""

    observation_space = spaces.Dict(
        half=spaces.Box(-99, 99, (2,), np.float16), whole=spaces.Discrete(9)
    )

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return {"half": np.zeros(2, np.float16), "whole": 0}, {}

    def step(self, action: Any) -> Any:
        return {"half": np.ones(2 + action, np.float16), "whole": 1}, 1.0, False, False, {}


@local_or_forked
def test_observations_that_do_not_fit_into_a_batch(way: dict[str, Any]) -> None:
    with envpool.make_python([functools.partial(Ragged, dict)] * 3, "gymnasium", **way) as env:
        env.reset()
        failure = failure_of(lambda: env.step(np.array([0, 0, 1])), 2)
        assert "its observation does not fit" in failure.messages[0]
        assert failure.results[0]["half"].tolist() == [[1, 1]] * 2
        failure = failure_of(lambda: env.step(np.array([1, 0]), np.array([0, 1])), 0)
        assert failure.results[4]["env_id"].tolist() == [1]
        env.reset()


def say_oddly(_: Any, observations: Any, *others: Any) -> Any:
    return observations, *others[:-1], {agent: unwritable() for agent in observations}


def test_players_of_others_keep_their_rows() -> None:
    sources = [Herd, functools.partial(Herd, step1=say_oddly), functools.partial(Herd, first=2)]
    with envpool.make_python(sources, "gymnasium", **FORKED) as env:
        observation, _ = env.reset()
        actions = np.arange(len(observation))
        failure = failure_of(lambda: env.step(actions), 1)
        observation, reward, terminated, _, info = failure.results
        owners = [0, 0, 0, 2, 2]
        assert info["players"]["env_id"].tolist() == owners
        assert reward.tolist() == [0, 1, 2, 6, 7]
        assert len(observation) == len(info["players"]["id"]) == len(info["players"]["luck"]) == 5
        assert info["env_id"].tolist() == [0, 2]
        assert len(terminated) == 2
        with pytest.raises(RuntimeError, match="environment 1 has failed"):
            env.step(actions)
        env.reset(np.array([1]))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_recordings_have_the_failure(tmp_path: Path, mode: str) -> None:
    make = functools.partial(Talker, unwritable)
    options = {"record": tmp_path / "a", "autoreset_mode": mode}
    with envpool.make_python(make, "gymnasium", num_envs=2, **FORKED, **options) as env:
        env.reset()
        env.step(np.zeros(2, int))
        failure_of(lambda: env.step(np.array([SAY, 0])), 0)
        env.reset(np.array([0]))
        failure_of(lambda: env.reset(options={"odd": True}), 0, 1)
    recording = envpool.replay(tmp_path / "a", make=make)
    assert recording.episodes["end"].tolist() == ["failed"] * 3
    assert recording.episodes["length"].tolist() == [2, 0, 0]


def test_ctrl_c_in_what_reads_infos_is_no_failure() -> None:
    odd = functools.partial(dict, a=Reads(signal.raise_signal, signal.SIGINT))
    with envpool.make_python(talkers(odd), "gymnasium", **FORKED) as env:
        env.reset()
        with pytest.raises(KeyboardInterrupt):
            env.step(np.array([SAY, 0, 0]))


@pytest.mark.parametrize("make", [SyncVectorEnv, functools.partial(AsyncVectorEnv, num_workers=0)])
def test_dicts_before_numbers_are_gymnasiums(make: Any) -> None:
    fns = [functools.partial(Talker, lambda: {"a": {"x": 1}})] * 3
    theirs, ours = gymnasium.vector.SyncVectorEnv(fns), make(fns)
    for envs in (theirs, ours):
        envs.reset()
    expected, given = (envs.step([SAY, 0, SAY])[4] for envs in (theirs, ours))
    assert repr(given) == repr(expected)
    ours.close()


class Named(gymnasium.Env[Any, Any]):
    """Has infos with names of the pool's."""

    observation_space = spaces.Discrete(2)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        return 0, {"env_id": 99, "elapsed_step": 77, "players": 5, "mine": 1}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, 0.0, False, False, {"env_id": 98, "mine": 2}


@local_or_forked
def test_infos_with_names_of_the_pools_are_left_out_with_a_warning(way: dict[str, Any]) -> None:
    with envpool.make_python(Named, "gymnasium", num_envs=2, **way) as pool:
        with pytest.warns(UserWarning, match="info '.*' is left out: the pool has one") as caught:
            _, info = pool.reset()
        assert len(caught) == 3
        assert info["env_id"].tolist() == [0, 1]
        assert not {"_env_id", "_elapsed_step", "_players"} & info.keys()
        assert info["mine"].tolist() == [1, 1]
        assert info["_mine"].all()
        assert "_env_id" not in pool.step(np.zeros(2, int))[-1]


class Failing(Named):
    """Says of each step that it is no failure, until one is."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        return 0, {"failure": False}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if action:
            raise ValueError("boom")
        return 0, 0.0, False, False, {"failure": False}


@local_or_forked
def test_an_own_info_does_not_hide_what_has_failed(way: dict[str, Any]) -> None:
    with envpool.make_python(Failing, num_envs=2, on_failure="reset", **way) as pool:
        with pytest.warns(UserWarning, match="info 'failure' is left out"):
            assert "failure" not in pool.reset()[1]
            assert "failure" not in pool.step(np.array([0, 0]))[-1]
            info = pool.step(np.array([0, 1]))[-1]
        assert info["_failure"].tolist() == [False, True]
        assert info["failure"][0] is None
        assert "boom" in info["failure"][1]
