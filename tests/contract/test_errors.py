"""Exceptions are of the classes that clients catch, and survive a trip to another process."""

import copy
import inspect
import pickle

import gymnasium
import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from envpool import errors
from helpers import assert_same_results

# --- what EnvPool raises ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["PongNoFrameskip-v4", "PongDeterministic-v0", "Pong-v4", "Pong-ram-v0", "ALE/Pong-v4"]
)
def test_gyms_names_of_ataris_games(name):
    with pytest.raises(envpool.UnknownTaskError, match=r"; did you mean 'Pong-v5'\?$"):
        envpool.make_spec(name)
    with pytest.raises(envpool.UnknownTaskError, match=r"no task \['Pong-v5'\]"):
        envpool.make(["Pong-v5"])


def test_no_seeds():
    given = envpool.make_spec("CartPole-v1", num_envs=2, seed=3, env_seed=np.array([]))
    assert given.options.seeds() == [3, 4]


def test_messages_are_of_bounded_length():
    """Also those that say whole what was given."""
    with pytest.raises(envpool.ArgumentError, match=r"^maze_map .* more characters") as caught:
        envpool.make_spec("PointMaze_UMaze-v3", maze_map="x" * 100_000)
    assert len(str(caught.value)) <= 1000
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_options_that_there_are_no_more():
    with pytest.raises(TypeError, match="has no option 'thread_pool': give each pool its share"):
        envpool.make("CartPole-v1", "gymnasium", thread_pool=None)


def test_options_of_environments_in_processes():
    with pytest.raises(TypeError, match=r"no option 'step_timeout': .*make_python\("):
        envpool.make("CartPole-v1", "gymnasium", step_timeout=2)
    with pytest.raises(TypeError, match=r"no option 'env_kwargs': give its own options"):
        envpool.make("CartPole-v1", "gymnasium", env_kwargs={})


# --- copies -----------------------------------------------------------------------------------


def trips(error):
    return pickle.loads(pickle.dumps(error)), copy.deepcopy(error), copy.copy(error)


def test_all_exceptions_can_be_copied():
    classes = [each for _, each in inspect.getmembers(errors, inspect.isclass)]
    own = [each for each in classes if issubclass(each, Exception)]
    assert {"ArgumentError", "EnvironmentFailure", "UnknownTaskError"} <= {
        each.__name__ for each in own
    }
    for each in own:
        error = each([(1, "no")], None) if each is errors.EnvironmentFailure else each("no")
        error.add_note("seen")
        for other in trips(error):
            assert type(other) is each
            assert (str(other), repr(other)) == (str(error), repr(error))
            assert other.__notes__ == ["seen"]


def failing_pool(env_type):
    places = ["never", "step", "never"]
    if env_type == "vector":
        return gymnasium.make_vec("envpool/testing-Failing-v0", 3, place=places, fail_at=1)
    return envpool.make("testing/Failing-v0", env_type, num_envs=3, place=places, fail_at=1)


@pytest.mark.parametrize("env_type", ["gymnasium", "dm", "vector"])
def test_failures_can_be_copied(env_type):
    pool = failing_pool(env_type)
    pool.reset()
    with pytest.raises(envpool.EnvironmentFailure) as caught:
        pool.step(np.zeros(3, int))
    for other in trips(caught.value):
        assert type(other) is envpool.EnvironmentFailure
        assert str(other) == str(caught.value)
        assert (other.env_ids, other.messages) == ([1], ["failed on purpose in step"])
        assert type(other.results) is type(caught.value.results)
        assert_same_results(other.results, caught.value.results)


def test_refused_seeds_can_be_copied():
    env = gymnasium.make_vec("envpool/CartPole-v1", 2)
    with pytest.raises(gymnasium.error.Error) as caught:
        env.reset(seed=-1)
    for other in trips(caught.value):
        assert (type(other), str(other)) == (caught.type, str(caught.value))
