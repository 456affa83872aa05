"""Mistakes in tasks with models of one's own: each is refused, and no row is lost."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool
from envpool.errors import ArgumentError, EnvironmentFailure
from envpool.families.mujoco.model.task import Batch, Outcome, Task
from helpers import assert_same_results, begun
from own_mujoco_tasks import POLE, Balance, Physics

OURS = envpool.mujoco
ACTION = np.zeros((2, 2))
pytestmark = pytest.mark.usefixtures("own_registry")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "<mujoco><worldbody><bdy/></worldbody></mujoco>"}, "bdy"),
        ({"model": "missing.xml"}, "model is 'missing.xml', and there is no file /"),
        ({"model": ""}, "model is '', and there is no file"),
        ({"model": b"no model"}, "is no model for MuJoCo: it was not written by mj_saveModel"),
        (
            {"watch": ["site_xpos:tap"]},
            "watch 'site_xpos:tap': there is no site 'tap' in the model, did you mean 'tip'?",
        ),
        (
            {"observation": ["qpso"]},
            "observation 'qpso': there is no array 'qpso' of floats in mjData, mjModel or "
            "mjOption, did you mean 'qpos'?",
        ),
        ({"observation": ["qpos:wheel"]}, "expected one of 'slide', 'hinge', 'free'"),
        (
            {"observation": ["light_xpos:sun"]},
            "there is no light 'sun' in the model, which has none",
        ),
        ({"observation": ["mocap_pos:cart"]}, "the body has no numbers in mocap_pos"),
        ({"observation": ["qpos[3:99]"]}, "[3:99] is no slice of its 9 numbers"),
        ({"observation": ["qpos[]"]}, "[] is no slice of its 9 numbers"),
        ({"observation": []}, "observation is empty, expected names of arrays"),
        ({"keyframe": "lying"}, "keyframe is 'lying', which the model does not have"),
        (
            {"randomise": {"body_mass:pole": OURS.Uniform([1, 2], 3)}},
            "randomise 'body_mass:pole' has 2 numbers, expected one",
        ),
        ({"randomise": {"body_mass:pol": OURS.Uniform(1, 2)}}, "did you mean 'pole'?"),
        ({"randomise": {"qpos": OURS.Normal(np.nan)}}, "expected finite numbers"),
        ({"autoreset_mode": "SameStep"}, "autoreset_mode is 'SameStep', expected 'NextStep'"),
        ({"record": "somewhere"}, "record is given, expected None for Balance()"),
        ({"observed_size": 3}, "observed_size is 3 for Balance(), expected how many numbers"),
        ({"observation": {"obs": "qpos"}}, "observation has the key 'obs', expected"),
    ],
)
def test_wrong_values_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        envpool.make_mujoco(Balance, **options)


def test_the_compilers_words_have_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(POLE.replace('type="slide"', 'type="glide"'))
    with pytest.raises(ArgumentError) as error:
        envpool.make_mujoco(Balance, model=path)
    message = str(error.value)
    assert message.startswith(f"model {path} is no model for MuJoCo: ")
    assert "glide" in message or "line 7" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": Physics, "frames": 3}, "has no option 'frames'; did you mean 'frame_skip'"),
        ({"task": 7}, "task is 7, expected an envpool.mujoco.Task"),
        ({"model": 7}, "model is 7, expected a path, XML, bytes of a .mjb file"),
        ({"task": Physics, "watch": [3]}, "watch has 3, expected names of arrays"),
        ({"task": Physics, "randomise": ["qpos"]}, "expected a dict of distributions by names"),
        (
            {"task": Physics, "randomise": {"qpos": 0.1}},
            "randomise['qpos'] is 0.1, expected one of",
        ),
        (
            {"task": Physics, "randomise": {"qpos": OURS.Uniform("a", 1)}},
            "expected numbers or lists of them, and not 'a'",
        ),
    ],
)
def test_wrong_types_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        envpool.make_mujoco(**options)


def test_distributions_check_themselves() -> None:
    with pytest.raises(ArgumentError, match="expected low > 0"):
        OURS.LogUniform(0.0, 1.0)
    with pytest.raises(ArgumentError, match="scale and absolute, expected one of them"):
        OURS.Uniform(0.0, 1.0, scale=True, absolute=True)


def _returning(value: Any) -> Task:
    class Returning(Physics):
        wrong = False

        def reward(self, batch: Batch) -> Any:
            return value if self.wrong else np.zeros(len(batch))

    return Returning()


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (np.zeros(3), ArgumentError, "reward() returns has the shape (3,), expected (2,)"),
        (np.zeros((2, 1)), ArgumentError, "has the shape (2, 1), expected (2,)"),
        (np.array(["a", "b"]), TypeError, "is of dtype <U1, expected an array of float64"),
        (None, TypeError, "is None, expected an array of float64"),
        (np.array([0.0, np.nan]), ArgumentError, "is NaN for environment 1"),
        (Outcome(np.zeros(2), np.zeros(2)), TypeError, "expected an array of bool"),
        (Outcome(np.zeros(2), info={"x": np.zeros(3)}), ArgumentError, "the info 'x' that"),
    ],
)
def test_wrong_rewards_are_named(value: Any, kind: type[Exception], message: str) -> None:
    task = _returning(value)
    env = begun(envpool.make_mujoco(task, num_envs=2))
    task.wrong = True  # type: ignore[attr-defined]
    with pytest.raises(kind, match=re.escape(message)):
        env.step(ACTION)


class Seeing(Balance):
    """Observes two numbers, if it does not go wrong."""

    observed_size = 2
    wrong: Any = None

    def observe(self, batch: Batch) -> Any:
        """The place of the tip."""
        return batch["site_xpos:tip"][:, [0, 2]] if self.wrong is None else self.wrong


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (np.zeros(2), ArgumentError, "observe() returns has the shape (2,), expected (2, 2), obs"),
        (np.array([["a", "b"]] * 2), TypeError, "the observation that Seeing.observe() returns is"),
    ],
)
def test_wrong_observations_are_named(value: Any, kind: type[Exception], message: str) -> None:
    task = Seeing()
    options: Any = {"num_envs": 2, "seed": 3}
    env, other = (begun(envpool.make_mujoco(each, **options)) for each in (task, Balance))
    task.wrong = value
    with pytest.raises(kind, match=re.escape(message)):
        env.step(ACTION)
    task.wrong = None
    obs, reward, *_ = env.recv()
    assert obs.shape == (2, 2)
    np.testing.assert_array_equal(reward, other.step(ACTION)[1])  # memory was not kept twice
    with pytest.raises(ArgumentError, match="frame_stack and from_pixels do not go with observe"):
        envpool.make_mujoco(Seeing, frame_stack=2)
    with pytest.raises(ArgumentError, match="observed_size is 0 for Seeing"):
        envpool.make_mujoco(Seeing, observed_size=0)


class Fragile(Balance):
    """Raises in one call."""

    fails = False

    def reward(self, batch: Batch) -> Outcome:
        """Raises, after memory has changed."""
        outcome = super().reward(batch)
        if self.fails:
            raise ZeroDivisionError("by hand")
        return outcome


@pytest.mark.parametrize("is_async", [False, True])
def test_no_row_is_lost_when_the_reward_raises(is_async: bool) -> None:
    task = Fragile()
    options: Any = {"num_envs": 2, "seed": 3, "num_threads": 1}
    env, other = (begun(envpool.make_mujoco(each, **options)) for each in (task, Balance))
    for _ in range(3):
        task.fails = True
        with pytest.raises(ZeroDivisionError, match="by hand") as error:
            env.send(ACTION) if is_async else env.step(ACTION)
            env.recv()
        assert "2 rows, which are not lost: recv()" in error.value.__notes__[0]
        with pytest.raises(RuntimeError, match="recv\\(\\) computes them again"):
            env.step(ACTION)
        with pytest.raises(RuntimeError, match="could not be computed"):
            env.reset([0])
        task.fails = False
        assert_same_results(env.recv(), other.step(ACTION))
    task.fails = True
    with pytest.raises(ZeroDivisionError):
        env.step(ACTION)
    task.fails = False
    other.step(ACTION)
    np.testing.assert_array_equal(env.reset()[0], other.reset()[0])
    env.step(ACTION)


def test_a_vector_environment_keeps_the_rows_too() -> None:
    task = Fragile()
    OURS.register("mine/Fragile-v0", task)
    import gymnasium

    env = begun(gymnasium.make_vec("envpool/mine-Fragile-v0", num_envs=2), seed=3)
    task.fails = True
    with pytest.raises(ZeroDivisionError):
        env.step(ACTION)
    with pytest.raises(gymnasium.error.ResetNeeded, match="recv"):
        env.step(ACTION)
    task.fails = False
    assert env.unwrapped.recv()[1].shape == (2,)
    env.step(ACTION)


UNSTABLE = POLE.replace('damping=".01"', 'damping=".01" stiffness="-1e12"')


def test_an_unstable_simulation_is_a_failure_of_its_environment() -> None:
    env = envpool.make_mujoco(
        Balance,
        num_envs=2,
        model=UNSTABLE,
        randomise={"qpos:hinge": OURS.Choice([0.0, 0.5], absolute=True)},
        keyframe="",
        seed=[0, 2],
    )
    env.reset()
    for _ in range(100):
        try:
            env.step(ACTION)
        except EnvironmentFailure as failure:
            assert "simulation is unstable" in failure.messages[0] or "unstable" in str(failure)
            assert len(failure.results[1]) == 2 - len(failure.env_ids)
            env.reset(failure.env_ids)
            break
    else:
        pytest.fail("nothing became unstable")


@pytest.mark.filterwarnings("ignore:environment . failed:RuntimeWarning")
def test_failures_may_be_survived() -> None:
    env = envpool.make_mujoco(
        Balance, num_envs=2, model=UNSTABLE, keyframe="", on_failure="reset", max_failures=None
    )
    env.reset()
    survived = 0
    for _ in range(50):
        _, reward, _, truncated, info = env.step(ACTION)
        if "_failure" in info:
            rows = info["_failure"]
            survived += int(rows.sum())
            assert truncated[rows].all() and not reward[rows].any()
    assert survived


def test_xla_and_pools_of_several_tasks_are_refused() -> None:
    env = envpool.make_mujoco(Balance)
    with pytest.raises(NotImplementedError, match="computed in Python"):
        env._pool.open_port([], [], 64)
    OURS.register("mine/Balance-v0", Balance)
    OURS.register("mine/Balance-v1", Balance, frame_skip=3)
    with pytest.raises(ArgumentError, match="does not go together with other tasks"):
        envpool.make_multi({"mine/Balance-v0": 1, "mine/Balance-v1": 1})


def test_specs_can_be_pickled() -> None:
    spec = envpool.make_mujoco(Balance, num_envs=2, seed=4).spec
    other = pickle.loads(pickle.dumps(spec))
    ours, theirs = spec.make(), other.make()
    assert_same_results(ours.reset(), theirs.reset())
    assert_same_results(ours.step(ACTION), theirs.step(ACTION))
