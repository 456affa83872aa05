"""Pools that share threads."""

import copy
import os
import pickle
import threading

import gymnasium
import numpy as np
import pytest

import envpool
import envpool.families.testing.registration
from helpers import assert_same_results, make

CLOSED = "thread_pool is closed: create another one, and pools that use it"


@pytest.fixture
def threads():
    with envpool.ThreadPool(2) as threads:
        yield threads


def rows(pool, steps=30):
    """The first results of each environment."""
    pool.async_reset()
    found = [[] for _ in range(pool.config["num_envs"])]
    while min(map(len, found)) < steps:
        observation, reward, *_, info = pool.recv()
        for env, *row in zip(info["env_id"], observation, reward, strict=True):
            found[env].append([part.tolist() for part in row])
        pool.send(info["env_id"] % 2, info["env_id"])
    return [each[:steps] for each in found]


@pytest.mark.parametrize("batch_size", [4, 2])
def test_rows_are_those_of_pools_with_their_own_threads(threads, batch_size):
    tasks = ("CartPole-v1", "Acrobot-v1", "MountainCar-v0")
    shared = [make(task, 4, batch_size=batch_size, thread_pool=threads) for task in tasks]
    private = [make(task, 4, batch_size=batch_size) for task in tasks]
    found = [None] * len(tasks)

    def play(i):
        found[i] = rows(shared[i])

    players = [threading.Thread(target=play, args=(i,)) for i in range(len(tasks))]
    for player in players:
        player.start()
    for player in players:
        player.join()
    assert found == [rows(pool) for pool in private]


@pytest.mark.parametrize("env_type", ["gym", "gymnasium", "dm"])
def test_all_flavours_take_it(threads, env_type):
    pool = envpool.make("CartPole-v1", env_type, num_envs=4, thread_pool=threads)
    pool.reset()
    pool.step(np.zeros(4, np.int32))
    assert len(pool.stats().worker_busy) == 2
    assert pool.config["thread_pool"] is threads
    pool.close()


def test_gymnasiums_registry_passes_it_on(threads):
    env = gymnasium.make_vec(
        "envpool/CartPole-v1", 3, vectorization_mode="vector_entry_point", thread_pool=threads
    )
    expected = gymnasium.make_vec("envpool/CartPole-v1", 3, vectorization_mode="vector_entry_point")
    assert_same_results(env.reset(seed=1), expected.reset(seed=1))


def test_pools_and_threads_close_in_any_order():
    threads = envpool.ThreadPool(2)
    pools = [make("CartPole-v1", 3, thread_pool=threads) for _ in range(3)]
    for pool in pools:
        pool.reset()
    pools[0].close()
    pools[0].reset()  # a closed pool begins anew
    pools[1].close()
    del pools[1]
    threads.close()
    threads.close()
    for pool in pools:
        with pytest.raises(RuntimeError, match=CLOSED):
            pool.reset()
        pool.close()


def test_threads_live_as_long_as_their_last_pool():
    pool = make("CartPole-v1", 3, batch_size=1, thread_pool=envpool.ThreadPool(2))
    pool.async_reset()
    assert len(pool.recv()[0]) == 1


def test_a_call_that_waits_is_told_of_the_end(threads):
    """What needs nobody to run it any more still comes; what was left to the threads does not."""
    pool = make("testing/Sleeping-v0", 8, batch_size=8, step_ms=30, thread_pool=threads)
    pool.reset()
    timer = threading.Timer(0.05, threads.close)
    timer.start()
    with pytest.raises(RuntimeError, match=CLOSED):
        for _ in range(1000):
            pool.step(np.zeros(8, np.int32))
    timer.join()
    pool.close()
    assert pool.stats().steps > 0


def test_closed_threads_are_refused(threads):
    threads.close()
    with pytest.raises(RuntimeError, match=CLOSED):
        make("CartPole-v1", 3, thread_pool=threads)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"num_threads": 3}, ValueError, "num_threads is 3, and thread_pool has 2"),
        ({"thread_affinity_offset": 0}, ValueError, "thread_affinity_offset is 0, and thread_pool"),
    ],
)
def test_what_contradicts_it_is_refused(threads, options, error, message):
    with pytest.raises(error, match=message):
        make("CartPole-v1", 3, thread_pool=threads, **options)
    make("CartPole-v1", 3, thread_pool=threads, num_threads=2, thread_affinity_offset=-1)


def test_anything_else_is_refused():
    with pytest.raises(TypeError, match=r"thread_pool is 3, expected an envpool\.ThreadPool"):
        make("CartPole-v1", 3, thread_pool=3)
    with pytest.raises(TypeError, match="num_workers"):
        envpool.make_python("CartPole-v1", thread_pool=3)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"num_threads": -1}, ValueError),
        ({"num_threads": 5000}, ValueError),
        ({"num_threads": 1.5}, TypeError),
        ({"thread_affinity_offset": -2}, ValueError),
    ],
)
def test_bad_numbers_are_refused(arguments, error):
    (name, value) = next(iter(arguments.items()))
    with pytest.raises(error, match=f"{name} is {value}"):
        envpool.ThreadPool(**arguments)


def test_what_it_says_of_itself(threads):
    assert repr(threads) == "ThreadPool(num_threads=2, thread_affinity_offset=-1)"
    assert copy.deepcopy(threads) is threads
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(threads)


def test_a_forked_child_is_told_to_make_its_own(threads):
    pool = make("CartPole-v1", 3, thread_pool=threads)
    pool.reset()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with pytest.raises(RuntimeError, match="thread_pool was created before the process"):
                make("CartPole-v1", 3, thread_pool=threads)
            with pytest.raises(RuntimeError, match="forked"):
                pool.reset()
            threads.close()
            with envpool.ThreadPool(2) as own:
                make("CartPole-v1", 3, thread_pool=own).reset()
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    pool.reset()
