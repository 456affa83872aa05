"""What AsyncVectorEnv and SyncVectorEnv are beside the results of their steps."""

from __future__ import annotations

import functools
import gc
import os
import pickle
import weakref
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import batch_differing_spaces

from envpool.vector import AsyncVectorEnv, SyncVectorEnv
from helpers import Pair
from vector_envs import Spoken, Waiting, in_two_processes, made, sampling, sync

CARTPOLE = made("CartPole-v1")
BOTH = pytest.mark.parametrize("make", [sync, in_two_processes])


def test_what_there_is_is_gymnasiums() -> None:
    with SyncVectorEnv([CARTPOLE] * 2) as envs:
        assert isinstance(envs, gymnasium.vector.VectorEnv)
        assert repr(envs) == "SyncVectorEnv(num_envs=2)"
        assert envs.unwrapped is envs
        assert envs.spec is None
        assert [type(env.unwrapped).__name__ for env in envs.envs] == ["CartPoleEnv"] * 2
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(envs)
        assert envs.stats().steps == 0


@pytest.mark.parametrize("make", [SyncVectorEnv, AsyncVectorEnv])
def test_they_have_what_gymnasiums_have_but_for_its_processes(make: Any) -> None:
    theirs = getattr(gymnasium.vector, make.__name__)([CARTPOLE] * 2)
    with make([CARTPOLE] * 2) as envs:
        lacks = {name for name in dir(theirs) if name[0] != "_" and not hasattr(envs, name)}
        assert lacks <= {"error_queue", "observations", "parent_pipes", "processes"}
        for name, value in {"autoreset_mode": "SameStep", "render_mode": "human"}.items():
            with pytest.raises(AttributeError, match=f"{name} cannot be set"):
                setattr(envs, name, value)
    theirs.close()


def test_workers_are_as_many_as_was_said() -> None:
    with AsyncVectorEnv([Waiting] * 4, num_workers=2) as envs:
        pids = envs.get_attr("pid")
        assert len(set(pids)) == 2
        assert pids[0] == pids[1] != os.getpid()
    with AsyncVectorEnv([Waiting] * 2, num_workers=0) as envs:
        assert envs.get_attr("pid") == (os.getpid(),) * 2


def test_forked_workers_are_as_many_as_was_said() -> None:
    with AsyncVectorEnv([Waiting] * 3, max_concurrency=2, context="fork") as envs:
        assert len(set(envs.get_attr("pid"))) == 2


def test_threads_wait_at_the_same_time() -> None:
    with AsyncVectorEnv([Waiting] * 4, num_workers=1, worker_threads=4) as envs:
        envs.reset()
        assert envs.step([8] * 4)[0].tolist() == [8] * 4


def test_arguments_are_refused() -> None:
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"worker": print}, ValueError, "worker is .* expected None"),
        ({"context": "thread"}, ValueError, "cannot find context for 'thread'"),
        ({"max_concurrency": 0}, ValueError, "max_concurrency is 0, expected 1 <="),
        ({"max_concurrency": 1.5}, TypeError, "max_concurrency is 1.5, expected an integer"),
        ({"observation_mode": "similar"}, ValueError, "Invalid `observation_mode`"),
        ({"observation_mode": (1, 2)}, TypeError, "to be Spaces"),
        ({"autoreset_mode": "Never"}, ValueError, "autoreset_mode is 'Never'"),
        ({"num_workers": -1}, ValueError, "num_workers is -1"),
    ]
    for arguments, error, match in refused:
        with pytest.raises(error, match=match):
            AsyncVectorEnv([CARTPOLE], **arguments)
    with pytest.raises(ValueError, match="num_envs is 0"):
        SyncVectorEnv([])


@pytest.mark.parametrize("shared_memory", [True, False])
def test_spaces_of_other_classes_are_pickled(shared_memory: bool) -> None:
    nested = spaces.Tuple([spaces.Discrete(2), Spoken()])
    with AsyncVectorEnv([sampling(nested)], shared_memory=shared_memory, num_workers=0) as envs:
        coin, (said,) = envs.reset(seed=1)[0]
        assert coin.shape == (1,) and Spoken().contains(said)


@pytest.mark.one_in(2)
@BOTH
def test_different_spaces_are_batched_only_if_that_was_said(make: Any) -> None:
    boxes = [spaces.Box(0, high, (2,)) for high in (1, 2)]
    coin = spaces.Discrete(2)
    env_fns = [sampling(box, 3, coin) for box in boxes]
    with pytest.raises(RuntimeError, match=r"'same'.* environment 1 has .* Box.*'different'"):
        make(env_fns)
    custom = batch_differing_spaces(boxes), boxes[0]
    for mode in ("different", custom):
        with make(env_fns, observation_mode=mode) as envs:
            theirs = gymnasium.vector.SyncVectorEnv(env_fns, observation_mode=mode)
            assert envs.observation_space == theirs.observation_space
            assert envs.single_observation_space == theirs.single_observation_space
    others = [sampling(spaces.Box(0, 1, (i,)), 3, coin) for i in (2, 3)]
    with pytest.raises(
        RuntimeError, match=r"environment \d has the observation space .*shape and dtype"
    ):
        make(others, observation_mode=custom)
    with pytest.raises(RuntimeError, match="environment 1 has `Box"):
        make([env_fns[0], sampling(boxes[0], 3, boxes[0])])


def test_closing_waits_for_what_was_begun_or_ends_it(tmp_path: Path) -> None:
    said = "Calling `close` while waiting for a pending call to `step`"
    envs = AsyncVectorEnv([Waiting] * 2, num_workers=1)
    envs.reset()
    envs.step_async([1, 2])
    with pytest.warns(UserWarning, match=said):
        envs.close()
    envs = AsyncVectorEnv([functools.partial(Waiting, tmp_path / "gate")] * 2, num_workers=1)
    envs.reset()
    envs.step_async([9, 1])
    with pytest.warns(UserWarning, match=said):
        envs.close(terminate=True)


def test_what_environments_have_can_be_reached() -> None:
    def seeded() -> Any:
        environment = gymnasium.make("CartPole-v1", render_mode="rgb_array")
        environment.action_space.seed(5)
        return environment

    with in_two_processes([seeded] * 2) as envs:
        pair = Pair(envs, gymnasium.vector.SyncVectorEnv([seeded] * 2))
        assert np.array_equal(envs.action_space.sample(), pair.theirs.action_space.sample())
        assert envs.render_mode == "rgb_array"
        for values in ([9.0, 8.0], (7.0, 6.0), 5.0):
            pair.call("set_attr", "gravity", values)
            pair.call("get_attr", "gravity")
        pair.call("reset", seed=1)
        pair.call("render")
        with pytest.raises(ValueError, match="values has 3 entries, expected 2"):
            envs.set_attr("gravity", [1, 2, 3])
        with pytest.warns(UserWarning), pytest.raises(AttributeError, match="nothing"):
            envs.get_attr("nothing")


def test_actions_that_auto_resets_ignore_are_not_kept() -> None:
    class Action(str):
        """Which can be seen to be gone."""

        __slots__ = ("__weakref__",)
        __hash__ = object.__hash__

        def __eq__(self, other: object) -> bool:
            return self is other

    alive: weakref.WeakSet[Action] = weakref.WeakSet()
    with sync([sampling(spaces.Text(9), 1)] * 2) as envs:
        envs.reset()
        for _ in range(10):
            actions = tuple(Action("go") for _ in range(2))
            alive |= set(actions)
            envs.step(actions)
            del actions
        gc.collect()
        assert len(alive) <= 2
