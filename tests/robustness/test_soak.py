"""A short soak, and that a soak notices what it must notice."""

import numpy as np
import pytest

from helpers import leaves, make
from soak import MOST_GROWTH, PLAN, RESET, Run, Streams, soak

RECEIVED = 2500  # batches


@pytest.mark.parametrize(
    ("num_envs", "batch_size", "num_threads"),
    [(1024, 256, 2), (300, 299, 4), (64, 16, 8), (7, 3, 2), (2, 1, 1)],
)
@pytest.mark.one_in(3)
def test_asynchronous_is_synchronous(num_envs, batch_size, num_threads):
    report = soak(num_envs, batch_size, num_threads, RECEIVED * batch_size)
    assert report.differing.tolist() == []
    assert report.steps.sum() == RECEIVED * batch_size
    assert report.steps.min() > 0


def test_plan_has_everything():
    assert set(PLAN) == {0, 1, RESET}


def test_one_wrong_byte_changes_the_checksum():
    """Of any array whatsoever, and in any row."""
    pool = make("CartPole-v1", 4)
    pool.reset()
    results = pool.step(np.zeros(4, int))
    right = Streams(4)
    right.add(np.arange(4), results)
    compared = [array for path, array in leaves(results) if "env_id" not in path]
    assert len(compared) == 5
    for array in compared:
        size = array.nbytes // 4  # of a row
        bytes_of_array = array.reshape(-1).view(np.uint8)
        for i in range(array.nbytes):
            bytes_of_array[i] ^= 1
            wrong = Streams(4)
            wrong.add(np.arange(4), results)
            bytes_of_array[i] ^= 1
            assert np.flatnonzero(wrong.sums != right.sums).tolist() == [i // size]


def test_results_in_another_order_change_the_checksum():
    pool = make("CartPole-v1", 1)
    pool.reset()
    rows = [pool.step(np.zeros(1, int)) for _ in range(2)]
    streams = [Streams(1), Streams(1)]
    for each, order in zip(streams, [rows, rows[::-1]], strict=True):
        for row in order:
            each.add(np.arange(1), row)
    assert streams[0].sums != streams[1].sums


def test_memory_may_grow_at_first_only():
    memory = np.full(100, 10**9)
    memory[:9] = 10**6
    assert Run(1.0, memory).growth == 0
    memory[50] += 2 * MOST_GROWTH
    assert Run(1.0, memory).growth == 2 * MOST_GROWTH
