"""Options and other attributes of a pool's environments, read and changed; and names of ids."""

import gymnasium
import numpy as np
import pytest

import envpool
from helpers import assert_same_results, make
from kinds import cartpoles, each_kind

N = 3
FLAVOURS = ("gymnasium", "dm")


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_options_of_each_environment(flavour):
    pool = make("Pendulum-v1", N, flavour, g=[1.0, 2.0, 3.0])
    assert pool.get_attr("g") == pool.call("g") == (1.0, 2.0, 3.0)
    pool.set_attr("g", [4.0, 5.0, 6.0])
    assert pool.get_attr("g") == (4.0, 5.0, 6.0)
    pool.set_attr("g", 7.0)
    assert pool.get_attr("g") == (7.0,) * N


def test_the_same_attributes_as_in_gymnasiums_api():
    pool = make("CartPole-v1", N, seed=5)
    strict = gymnasium.make_vec("envpool/CartPole-v1", N, seed=5).unwrapped
    pool.reset()
    strict.reset()
    pool.set_attr("state", [np.full(4, 0.01 * i) for i in range(N)])
    assert [state.tolist() for state in pool.get_attr("state")] == [
        [0.01 * i] * 4 for i in range(N)
    ]
    pool.step(np.zeros(N, int))
    assert pool.get_attr("elapsed_step") == (1,) * N
    draws = [generator.random() for generator in pool.get_attr("np_random")]
    assert draws == [generator.random() for generator in strict.get_attr("np_random")]
    assert pool.get_attr("action_space") == (pool.action_space,) * N
    assert pool.get_attr("render_mode") == (None,) * N


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_wrong_attributes(flavour):
    pool = make("Pendulum-v1", N, flavour)
    for call in (pool.get_attr, pool.call):
        with pytest.raises(AttributeError, match=r"Pendulum has no attribute 'gg'.*'g'"):
            call("gg")
    with pytest.raises(AttributeError, match="Pendulum has no option 'gg'"):
        pool.set_attr("gg", 1.0)
    with pytest.raises(ValueError, match="values has 2 entries, expected 3"):
        pool.set_attr("g", [1.0, 2.0])
    with pytest.raises(TypeError, match="g is a value and takes no arguments"):
        pool.call("g", 1)
    with pytest.raises(
        AttributeError, match=r"'set_state': set_state\(\) is a method of the whole"
    ):
        pool.call("set_state", 1)
    with pytest.raises(RuntimeError, match="reset it"):
        make("CartPole-v1", N, flavour).set_attr("state", [np.zeros(4)] * N)


def test_environments_of_several_tasks():
    pool = envpool.make_multi({"CartPole-v1": 2, "CartPole-v0": 1}, "gymnasium")
    pool.set_attr("gravity", [1.0, 2.0, 3.0])
    assert pool.get_attr("gravity") == (1.0, 2.0, 3.0)


def test_running_environments():
    pool = make("Pendulum-v1", N, batch_size=1)
    pool.async_reset()
    assert len(pool.get_attr("g")) == N
    with pytest.raises(RuntimeError, match=r"environment \d is already running"):
        pool.set_attr("g", 1.0)


@each_kind
def test_ids_under_either_name(kind):
    with cartpoles(kind, seed=3) as pool, cartpoles(kind, seed=3) as other:
        ids, actions = [2, 0], np.ones(2, np.int64)
        assert_same_results(pool.reset(env_ids=ids), other.reset(env_id=ids))
        assert_same_results(pool.step(actions, env_ids=ids), other.step(actions, env_id=ids))
        for each, name in ((pool, "env_ids"), (other, "env_id")):
            each.send(actions, **{name: ids})
            each.recv()
            each.async_reset(**{name: ids})
            each.recv()
            each.set_state(each.get_state(**{name: ids}), **{name: ids})
        assert_same_results(pool.step(actions, ids), other.step(actions, ids))
        both = {"env_id": ids, "env_ids": ids}
        for call in (
            lambda: pool.step(actions, **both),
            lambda: pool.send(actions, **both),
            lambda: pool.reset(**both),
            lambda: pool.async_reset(**both),
            lambda: pool.get_state(**both),
            lambda: pool.set_state([], **both),
            lambda: pool.render(**both),
        ):
            with pytest.raises(ValueError, match="env_id and env_ids are given, expected one"):
                call()
