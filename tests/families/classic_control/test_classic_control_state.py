"""The attribute ``state`` of classic control, read and set as with Gymnasium's environments."""

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from helpers import assert_same_bytes, begun

STATES = {
    "CartPole-v1": [0.3, -0.5, 0.05, 0.7],
    "Pendulum-v1": [1.3, -2.0],
    "MountainCar-v0": [-0.3, 0.02],
    "MountainCarContinuous-v0": [-0.3, 0.021],
    "Acrobot-v1": [0.4, -1.1, 2.0, -3.0],
}


def pair(task_id):
    ours, theirs = (gymnasium.make(prefix + task_id) for prefix in ("envpool/", ""))
    for env in (ours, theirs):
        env.reset(seed=3)
        env.action_space.seed(0)
    return ours, theirs


def assert_same_states(ours, theirs):
    assert isinstance(ours.unwrapped.state, np.ndarray)
    # MountainCar's is a tuple after a step.
    assert_same_bytes(ours.unwrapped.state, np.asarray(theirs.unwrapped.state))


@pytest.mark.parametrize("task_id", STATES)
@pytest.mark.parametrize("steps_before", [0, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_reading_and_setting(task_id, steps_before, dtype):
    if dtype == np.float32 and task_id not in {"MountainCarContinuous-v0", "Acrobot-v1"}:
        pytest.skip("computes in float64 whatever the state is")
    ours, theirs = pair(task_id)
    assert_same_states(ours, theirs)
    for _ in range(steps_before):
        action = theirs.action_space.sample()
        ours.step(action)
        theirs.step(action)
        assert_same_states(ours, theirs)
    state = np.array(STATES[task_id], dtype)
    ours.unwrapped.state = state
    theirs.unwrapped.state = state
    assert_same_states(ours, theirs)
    for _ in range(10):
        action = theirs.action_space.sample()
        results, expected = ours.step(action), theirs.step(action)
        assert_same_bytes(results[0], expected[0])
        assert results[1:4] == expected[1:4]
        assert_same_states(ours, theirs)
        if results[2]:
            break


def test_states_of_a_vector():
    ours, theirs = (
        gymnasium.make_vec(name, num_envs=3, vectorization_mode=mode)
        for name, mode in (("envpool/CartPole-v1", None), ("CartPole-v1", "sync"))
    )
    assert ours.get_attr("state") == (None, None, None)
    for envs in (ours, theirs):
        envs.reset(seed=1)
        envs.set_attr("state", [np.full(4, 0.01 * i) for i in range(3)])
    for our, their in zip(ours.get_attr("state"), theirs.get_attr("state"), strict=True):
        assert_same_bytes(our, their)
    actions = np.array([0, 1, 0])
    assert_same_bytes(ours.step(actions)[0], theirs.step(actions)[0])


def test_what_is_no_state():
    env = gymnasium.make("envpool/CartPole-v1")
    assert env.unwrapped.state is None
    with pytest.raises(ResetNeeded):
        env.unwrapped.state = np.zeros(4)
    env.reset(seed=0)
    before = env.unwrapped.state
    with pytest.raises(ValueError, match="state has 3 numbers, expected 4"):
        env.unwrapped.state = np.zeros(3)
    with pytest.raises(ValueError, match="not finite"):
        env.unwrapped.state = [0.0, np.nan, 0.0, 0.0]
    with pytest.raises(TypeError, match="expected numbers"):
        env.unwrapped.state = "upright"
    assert_same_bytes(env.unwrapped.state, before)
    taxi = gymnasium.make("envpool/Taxi-v3").unwrapped
    with pytest.raises(AttributeError):
        _ = taxi.state


def test_a_set_state_is_part_of_snapshots():
    env = begun(gymnasium.make("envpool/MountainCarContinuous-v0").unwrapped, seed=0)
    env.state = np.array([-0.3, 0.021])
    saved = env.get_state()
    results = env.step(np.array([0.5], np.float32))
    env.set_state(saved)
    assert_same_bytes(env.step(np.array([0.5], np.float32))[0], results[0])
