"""make_vec's and make's environments refuse with the types of exceptions that Gymnasium's do."""

import gymnasium
import numpy as np
import pytest

SEEDS = {
    "negative seed": lambda env: env.reset(seed=-1),
    "fractional seed": lambda env: env.reset(seed=1.5),
}
RESETS = SEEDS | {
    "text as a bound": lambda env: env.reset(options={"low": "x", "high": 1}),
    "no bound": lambda env: env.reset(options={"low": None, "high": 1}),
    "a list as a bound": lambda env: env.reset(options={"low": [1], "high": 1}),
    "bounds the wrong way round": lambda env: env.reset(options={"low": 2, "high": 1}),
    "options of another type": lambda env: env.reset(options=3),
    "a positional argument": lambda env: env.reset(1),
}
VECTOR = RESETS | {
    "one action": lambda env: env.step(0),
    "one fraction": lambda env: env.step(0.5),
    "an array of no dimensions": lambda env: env.step(np.array(0)),
    "None": lambda env: env.step(None),
    "too few actions": lambda env: env.step(np.array([1])),
    "an action above": lambda env: env.step(np.array([5, 0, 0])),
    "an action below": lambda env: env.step(np.array([-1, 0, 0])),
    "fractions": lambda env: env.step(np.array([0.5, 0.5, 0.5])),
    "actions of a wrong shape": lambda env: env.step(np.zeros((3, 5))),
    "too few seeds": lambda env: env.reset(seed=[1]),
    "a seed of text": lambda env: env.reset(seed=[1, "x", 2]),
    "a negative seed of several": lambda env: env.reset(seed=[1, -2, 2]),
    "a mask of numbers": lambda env: env.reset(options={"reset_mask": np.array([1, 0, 1])}),
    "a short mask": lambda env: env.reset(options={"reset_mask": np.array([True])}),
    "an empty mask": lambda env: env.reset(options={"reset_mask": np.zeros(3, bool)}),
    "an unknown attribute": lambda env: env.get_attr("nope"),
    "an unknown call": lambda env: env.call("nope"),
    "too few values": lambda env: env.set_attr("gravity", [1, 2]),
}
SINGLE = RESETS | {
    "an action above": lambda env: env.step(5),
    "an action below": lambda env: env.step(-1),
    "a fraction": lambda env: env.step(0.5),
    "several actions": lambda env: env.step([0, 1]),
    "a batch of one": lambda env: env.step(np.array([1])),
    "NaN": lambda env: env.step(np.array(np.nan)),
    "an unknown attribute": lambda env: env.unwrapped.nope,
}


def assert_same_type(ours, theirs, call):
    for env in (ours, theirs):
        env.reset(seed=1)
    with pytest.raises(Exception) as expected:
        call(theirs)
    with pytest.raises(expected.type):
        call(ours)


@pytest.mark.parametrize("misuse", VECTOR)
def test_vector_environments(misuse):
    ours = gymnasium.make_vec("envpool/CartPole-v1", 3)
    assert_same_type(ours, gymnasium.make_vec("CartPole-v1", 3, "sync"), VECTOR[misuse])


@pytest.mark.parametrize("misuse", SINGLE)
def test_single_environments(misuse):
    """And it changes nothing."""
    ours, theirs = (gymnasium.make(f"{name}CartPole-v1").unwrapped for name in ("envpool/", ""))
    assert_same_type(ours, theirs, SINGLE[misuse])
    theirs.reset(seed=1)
    np.testing.assert_array_equal(ours.step(1)[0], theirs.step(1)[0])


@pytest.mark.parametrize("shape", [(5,), (2, 6), (), (1, 6)])
def test_single_environments_of_several_joints(shape):
    env = gymnasium.make("envpool/BipedalWalker-v3", disable_env_checker=True)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action has shape") as caught:
        env.step(np.zeros(shape, np.float32))
    assert str(caught.value) == f"action has shape {shape}, expected (4,)"


def test_shapes_are_those_of_one_environment():
    env = gymnasium.make("envpool/Pendulum-v1", disable_env_checker=True)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"action has shape \(2, 3\), expected \(1,\)$"):
        env.step(np.zeros((2, 3), np.float32))
    env = gymnasium.make("envpool/CartPole-v1", disable_env_checker=True)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"action has shape \(1,\), expected \(\)$"):
        env.step(np.array([1]))
