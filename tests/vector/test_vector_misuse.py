"""What vector environments refuse, raise and survive, as Gymnasium's do where those do."""

from __future__ import annotations

import copy
import functools
import multiprocessing
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import (
    AlreadyPendingCallError,
    ClosedEnvironmentError,
    NoAsyncCallError,
    ResetNeeded,
)

import envpool
from envpool.vector import AsyncVectorEnv
from helpers import assert_identical
from vector_envs import Failing, Waiting, in_two_processes, made, sampling, sync

CARTPOLE = made("CartPole-v1")
BOTH = pytest.mark.parametrize("make", [sync, in_two_processes])


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that Waiting waits for."""
    return tmp_path_factory.mktemp("gate") / "open"


@pytest.fixture(scope="module")
def shared(gate: Path) -> Any:
    """Environments that tests leave as they find them: reset, with nothing pending."""
    with AsyncVectorEnv([functools.partial(Waiting, gate)] * 3, num_workers=2) as envs:
        envs.reset()
        yield envs


def test_calls_come_in_pairs(shared: AsyncVectorEnv) -> None:
    for kind in ("reset", "step", "call"):
        with pytest.raises(NoAsyncCallError, match=f"`{kind}_wait` without any prior call") as no:
            getattr(shared, f"{kind}_wait")()
        assert no.value.name == kind
    begin = {
        "reset": shared.reset_async,
        "step": lambda: shared.step_async([0, 0, 0]),
        "call": lambda: shared.call_async("metadata"),
    }
    others = [*begin.values(), shared.reset, lambda: shared.step([0, 0, 0]), shared.render]
    for kind, call in begin.items():
        call()
        for other in (*others, lambda: shared.set_attr("x", 1), lambda: shared.get_attr("x")):
            with pytest.raises(AlreadyPendingCallError, match=f"pending call to `{kind}`") as error:
                other()
            assert error.value.name == kind
        results = getattr(shared, f"{kind}_wait")()
        expected = (Waiting.metadata,) * 3 if kind == "call" else [0, 0, 0]
        assert np.array_equal(results if kind == "call" else results[0], expected)


def test_waits_end_when_the_time_is_over(shared: AsyncVectorEnv, gate: Path) -> None:
    shared.step_async([9, 0, 0])
    with pytest.raises(
        multiprocessing.TimeoutError, match=r"`step_wait` has timed out after 0\.05"
    ):
        shared.step_wait(timeout=0.05)
    with pytest.raises(ResetNeeded):
        shared.step([0, 0, 0])
    with pytest.raises(ResetNeeded):
        shared.reset(options={"reset_mask": np.array([True, False, False])})
    gate.touch()
    shared.reset()
    gate.unlink()
    observations, *_ = shared.step([1, 2, 3])
    assert observations.tolist() == [1, 2, 3]
    shared.call_async("wait")
    with pytest.raises(multiprocessing.TimeoutError, match="`call_wait` has timed out after 0"):
        shared.call_wait(timeout=0)
    gate.touch()
    shared.step([0, 0, 0])
    assert shared.call("wait") == (True,) * 3
    gate.unlink()


def test_partial_resets_may_be_waited_for(shared: AsyncVectorEnv) -> None:
    shared.step([5, 6, 7])
    options = {"reset_mask": np.array([True, False, True])}
    shared.reset_async(options=options)
    observations, infos = shared.reset_wait(timeout=30)
    assert observations.tolist() == [0, 6, 0]
    assert infos == options == {}


def test_infos_of_awaited_partial_resets_have_their_places() -> None:
    factories = [sampling(spaces.Discrete(3))] * 3
    theirs = gymnasium.vector.SyncVectorEnv(copy.deepcopy(factories))
    with in_two_processes(factories) as envs:
        for each in (envs, theirs):
            each.reset(seed=1)
        mask = np.array([False, True, True])
        envs.reset_async([4, 5, 6], {"reset_mask": mask, "more": 1})
        ours = envs.reset_wait()
        expected = theirs.reset(seed=[4, 5, 6], options={"reset_mask": mask, "more": 1})
    assert_identical(ours, expected)


def test_calls_that_are_the_pools_own_are_refused(shared: AsyncVectorEnv) -> None:
    for name in ("reset", "step", "close"):
        with pytest.raises(ValueError, match=f"use `{name}` directly"):
            shared.call(name)


@pytest.mark.one_in(2)
@BOTH
def test_closed_ones_refuse_everything_but_close(make: Any) -> None:
    envs = make([CARTPOLE] * 2)
    envs.close()
    envs.close()
    calls = [envs.reset, lambda: envs.step([0, 1]), envs.render, lambda: envs.get_attr("gravity")]
    for call in (*calls, lambda: envs.set_attr("gravity", 1), lambda: envs.np_random_seed):
        with pytest.raises(ClosedEnvironmentError, match=type(envs).__name__):
            call()


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"seed": [1, 2, 3]}, ValueError, "seed has 3 entries, expected 2"),
        ({"seed": 1.5}, TypeError, "seed is 1.5"),
        ({"options": {"reset_mask": np.ones(3, bool)}}, ValueError, r"shape `\(2,\)`, got \(3,\)"),
        ({"options": {"reset_mask": np.ones(2)}}, TypeError, "dtype=np.bool_`, got float64"),
        ({"options": {"reset_mask": np.zeros(2, bool)}}, ValueError, "at least one True"),
    ],
)
def test_resets_are_refused_in_gymnasiums_words(arguments: Any, error: type, match: str) -> None:
    with sync([CARTPOLE] * 2) as envs:
        theirs = gymnasium.vector.SyncVectorEnv([CARTPOLE] * 2)
        envs.reset(seed=3)
        with pytest.raises(error, match=match) as ours:
            envs.reset(**copy.deepcopy(arguments))
        with pytest.raises(error) as expected:
            theirs.reset(**copy.deepcopy(arguments))
        if "seed" not in match:
            assert str(ours.value) == str(expected.value)
        envs.step([0, 1])


@pytest.mark.one_in(2)
@BOTH
def test_actions_are_refused_and_nothing_is_stepped(make: Any) -> None:
    with make([CARTPOLE] * 2) as envs:
        envs.reset(seed=1)
        for actions in ([0], [0, 1, 0], np.zeros((3, 1))):
            with pytest.raises(ValueError, match=r"\b2\b"):
                envs.step(actions)
        with pytest.raises(TypeError):
            envs.step(0)
        assert envs.get_attr("_elapsed_steps") == (0, 0)


@BOTH
def test_environments_raise_their_own_exceptions_and_a_reset_heals(make: Any) -> None:
    with make([Failing] * 3) as envs, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is logged
        with pytest.raises(KeyError, match="a seed"):
            envs.reset(seed=[13, 1, 2])
        envs.reset()
        with pytest.raises(ZeroDivisionError, match="a step") as raised:
            envs.step([2, 0, 1])
        failure = raised.value.__cause__
        assert isinstance(failure, envpool.EnvironmentFailure)
        assert failure.env_ids == [0]
        assert len(failure.results[1]) == 2
        with pytest.raises(RuntimeError, match="reset"):
            envs.step([0, 0, 0])
        envs.reset(options={"reset_mask": np.array([True, False, False])})
        envs.step([0, 0, 0])
        with pytest.raises(envpool.EnvironmentFailure, match="SystemExit: enough"):
            envs.step([0, 3, 0])
        envs.reset()
        with pytest.raises(TimeoutError, match="a server"):
            envs.step([0, 4, 0])
        envs.reset(options={"reset_mask": np.array([False, True, False])})  # no wait was left
        envs.set_attr("fails_to_close", [False, True, False])
        with pytest.raises(OSError, match="a file"):
            envs.close()
        assert envs.closed


def test_failures_are_logged_in_gymnasiums_words() -> None:
    with in_two_processes([Failing] * 2) as envs:
        envs.reset()
        with pytest.warns(UserWarning) as logged, pytest.raises(ZeroDivisionError):
            envs.step([2, 2])
    said = [str(warning.message) for warning in logged]
    assert [i for i in range(5) if "from Worker-" in said[i]] == [0, 2]
    assert "in step\n    raise ZeroDivisionError" in said[1]
    assert "Raising the last exception" in said[4]


@pytest.mark.one_in(2)
@BOTH
def test_makers_raise_their_own_exceptions(make: Any) -> None:
    def fails() -> Any:
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        make([CARTPOLE, fails])


@BOTH
def test_a_reset_of_all_comes_first(make: Any) -> None:
    with make([CARTPOLE] * 2) as envs:
        with pytest.raises(ResetNeeded, match=r"reset\(\) the environments before a step"):
            envs.step([0, 1])
        mask = np.array([False, True])
        with pytest.raises(ResetNeeded, match="all environments before only some"):
            envs.reset(seed=[1, 3], options={"reset_mask": mask})
        envs.reset(options={"reset_mask": np.ones(2, bool)})
        envs.step([0, 1])


AGAIN = ValueError("again")


class Blaming(gymnasium.Env):
    """Counts its steps; number 1 raises in each of them."""

    observation_space = spaces.Box(0, 100, (), np.int64)
    action_space = spaces.Discrete(2)

    def __init__(self, number: int, blames: BaseException | None) -> None:
        self.number, self.blames, self.steps = number, blames, 0

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        return self.steps, {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        if self.number == 1:
            if self.blames:
                raise ValueError("on purpose") from self.blames
            raise AGAIN
        return self.steps, 0.0, False, False, {}


@BOTH
@pytest.mark.parametrize("blames", [None, KeyError("b")], ids=["the same again", "with a cause"])
def test_the_cause_of_an_environments_exception(make: Any, blames: BaseException | None) -> None:
    """It is the failure, with the results of this step; then comes what the environment says."""
    envs = make([functools.partial(Blaming, number, blames) for number in range(3)])
    envs.reset()
    for step in range(1, 4):
        with pytest.raises(ValueError, match=r"again|on purpose") as caught:
            envs.step(np.zeros(3, int))
        failure = caught.value.__cause__
        assert isinstance(failure, envpool.EnvironmentFailure)
        assert failure.env_ids == [1]
        assert failure.results[0].tolist() == [step, step]
        # Pickles of exceptions do not have their causes.
        assert failure.__cause__ is (blames if make is sync else None)
        envs.reset(options={"reset_mask": np.array([False, True, False])})
    envs.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("make_env", [sync, in_two_processes])
def test_failures_that_end_episodes(make_env, mode):
    env = make_env([Failing] * 2, autoreset_mode=mode, on_failure="reset", max_failures=1)
    env.reset()
    with pytest.warns(RuntimeWarning, match="environment 1 failed.*a step"):
        obs, rewards, terminated, truncated, infos = env.step(np.array([1, 2]))
    assert_identical(obs, np.array([[1], [0]], np.float32))
    assert_identical(rewards, np.array([1.0, 0.0]))
    assert (terminated.tolist(), truncated.tolist()) == ([False] * 2, [False, True])
    assert infos["failure"].tolist() == [None, "ZeroDivisionError: a step"]
    assert infos["_failure"].tolist() == [False, True]
    assert ("final_obs" in infos) == (mode == "SameStep")
    env.step(np.array([1, 1]))
    with pytest.raises(ZeroDivisionError):
        env.step(np.array([2, 1]))
    assert env.stats().episodes == 0
    env.close()
