"""Specs, and calls that make pools, go to other processes and make the same pools there."""

import functools
import multiprocessing
import pickle

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from helpers import assert_same_results, leaves, needs_ale, needs_dm_control, needs_mujoco


def rollout(make, steps=5):
    """All results of a pool's first steps."""
    pool = make()
    shape = (pool.config["num_envs"], *np.shape(pool.spec.action_space.sample()))
    actions = np.zeros(shape, pool.spec.action_space.dtype)
    results = [pool.reset(), *(pool.step(actions) for _ in range(steps))]
    pool.close()
    return [np.asarray(leaf) for result in results for _, leaf in leaves(tuple(result))]


def elsewhere(makers):
    """What rollouts return in a spawned process, which knows what was pickled and no more."""
    with multiprocessing.get_context("spawn").Pool(1) as processes:
        return processes.map(rollout, makers)


def test_in_a_spawned_process():
    spec = envpool.make_spec("CartPole-v1", num_envs=3, gravity=[1.0, 2.0, 3.0], seed=[7, 8, 9])
    other = envpool.make_spec("testing/Counting-v0", num_envs=2, episode_length=2)
    makers = [
        spec.make,
        functools.partial(spec.make, "dm", seed=5),
        functools.partial(other.make, num_envs=4),
        functools.partial(envpool.make, "Pendulum-v1", "gymnasium", num_envs=2, g=1.62),
        functools.partial(envpool.make_dm, "Catch-v0", num_envs=2),
        functools.partial(envpool.make_python, "CartPole-v1", num_envs=2, num_workers=0),
    ]
    for ours, theirs in zip(map(rollout, makers), elsewhere(makers), strict=True):
        for our, their in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(our, their)


# --- spec.make --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "task_id",
    [
        "FrozenLake-v1",
        "LunarLander-v3",
        "MiniGrid-DoorKey-5x5-v0",
        pytest.param("Ant-v5", marks=needs_mujoco),
        pytest.param("Pong-v5", marks=needs_ale),
        pytest.param("WalkerWalk-v1", marks=needs_dm_control),
    ],
)
@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_makes_what_make_does(task_id, env_type):
    spec = pickle.loads(pickle.dumps(envpool.make_spec(task_id, num_envs=2, seed=3)))
    ours, theirs = (
        spec.make(env_type, num_envs=3, max_episode_steps=9),
        envpool.make(task_id, env_type, num_envs=3, max_episode_steps=9, seed=3),
    )
    assert type(ours) is type(theirs)
    assert ours.config == theirs.config
    assert ours.spec.id == task_id
    assert_same_results(tuple(ours.reset()), tuple(theirs.reset()))


def test_changed_options():
    spec = envpool.make_spec("CartPole-v1", num_envs=4, batch_size=2, seed=[1, 2, 3, 4])
    assert spec.changed() is spec
    assert spec.changed(num_threads=3).config == spec.config._replace(num_threads=3)
    assert spec.changed(seed=5).options.seeds() == [5, 6, 7, 8]
    assert spec.changed(seed=[4, 3, 2, 1]).options.seeds() == [4, 3, 2, 1]
    assert spec.changed(num_envs=8, seed=0).config.batch_size == 2
    synchronous = spec.changed(batch_size=4)
    assert synchronous.changed(num_envs=8, seed=0).config.batch_size == 8
    assert synchronous.changed(num_envs=8, batch_size=3, seed=0).config.batch_size == 3
    assert spec.config.env_seed == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("env_type", "options", "error", "message"),
    [
        ("gim", {}, ValueError, "env_type is 'gim'"),
        ("gymnasium", {"old_gym": True}, TypeError, "old_gym is an option of env_type 'gym'"),
        ("gymnasium", {"gravty": 1.0}, TypeError, "no option 'gravty'; did you mean 'gravity'"),
        ("gymnasium", {"gravity": "high"}, TypeError, "gravity"),
        ("gymnasium", {"num_envs": 2}, ValueError, "env_seed has 3 entries, expected 2"),
        ("gymnasium", {"gym_reset_return_info": False}, ValueError, "gym_reset_return_info"),
    ],
)
def test_wrong_arguments(env_type, options, error, message):
    spec = envpool.make_spec("CartPole-v1", num_envs=3, seed=[1, 2, 3])
    with pytest.raises(error, match=message):
        spec.make(env_type, **options)
    spec.make().close()


def test_a_spec_of_python_environments_does_not_know_what_makes_them():
    with envpool.make_python("CartPole-v1", num_envs=2, num_workers=0) as pool:
        spec = pickle.loads(pickle.dumps(pool.spec))
        assert spec == pool.spec
        with pytest.raises(
            TypeError, match=r"PythonEnvSpec does not know what makes .*make_python"
        ):
            spec.make()
