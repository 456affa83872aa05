"""What env.stats() counts."""

import dataclasses
import json
import time

import numpy as np
import pytest

import envpool
import envpool.families.testing.registration

N = 4


def make(name, **kwargs):
    return envpool.make(f"testing/{name}-v0", "gymnasium", num_envs=N, **kwargs)


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize(("mode", "steps"), [("NextStep", 3 * 3 * N), ("SameStep", 11 * N)])
def test_counts(num_threads, mode, steps):
    """Resets are no steps: of 11 calls, NextStep takes two for them."""
    pool = make("Counting", num_threads=num_threads, episode_length=3, autoreset_mode=mode)
    pool.reset()
    for _ in range(11):
        pool.step(np.zeros(N, int))
    stats = pool.stats()
    assert (stats.steps, stats.episodes, stats.batches) == (steps, 3 * N, 12)
    assert len(stats.worker_busy) == len(stats.worker_idle) == num_threads


@pytest.mark.parametrize("batch_size", [N, 2])
def test_partial_calls(batch_size):
    pool = make("Counting", batch_size=batch_size, num_threads=2)
    pool.async_reset()
    for _ in range(N // batch_size):
        pool.recv()
    assert (pool.stats().steps, pool.stats().batches) == (0, N // batch_size)
    pool.send(np.zeros(2, int), np.array([3, 1]))
    pool.recv()
    assert (pool.stats().steps, pool.stats().batches) == (2, N // batch_size + 1)


def test_closing_keeps_the_counts():
    pool = make("Counting", num_threads=2)
    pool.reset()
    pool.step(np.zeros(N, int))
    pool.close()
    assert pool.stats().steps == N


def test_times_of_a_slow_environment():
    """Two threads for four environments of 50 ms: the caller waits, the workers are busy."""
    pool = make("Sleeping", num_threads=2, step_ms=50)
    pool.reset()
    pool.stats(reset=True)
    for _ in range(3):
        pool.step(np.zeros(N, int))
    stats = pool.stats()
    assert sum(stats.worker_busy) + stats.caller_busy >= 3 * N * 0.05
    assert stats.recv_wait + stats.caller_busy <= stats.elapsed
    assert stats.recv_share > 0.5
    assert stats.steps_per_second == pytest.approx(stats.steps / stats.elapsed)


def test_in_words_and_as_a_dict():
    pool = make("Counting", num_threads=2)
    pool.reset()
    stats = dataclasses.replace(
        pool.stats(), elapsed=0.08066697600000001, worker_busy=(2.0, 1 / 3), worker_idle=(0.0,)
    )
    told = repr(stats)
    assert told.startswith(
        "PoolStats(elapsed=0.08067, steps=0, episodes=0, failures=0, batches=1, "
    )
    assert "worker_busy=(2, 0.3333), worker_idle=(0,), " in told
    assert stats.as_dict()["worker_busy"] == (2.0, 1 / 3)
    assert json.loads(json.dumps(stats.as_dict()))["elapsed"] == stats.elapsed
    assert json.loads(json.dumps(pool.config))["num_envs"] == N


def test_times_of_a_slow_policy():
    """Batches lie ready while the policy thinks."""
    pool = make("Counting", batch_size=2, num_threads=1)
    pool.async_reset()
    pool.stats(reset=True)
    for _ in range(5):
        time.sleep(0.02)
        pool.send(np.zeros(2, int), pool.recv()[4]["env_id"])
    stats = pool.stats()
    assert stats.recv_share < 0.5
    assert stats.batch_age > 0.01
    assert stats.worker_idle[0] > 0.5 * stats.elapsed


def test_work_in_progress_counts():
    pool = make("Sleeping", batch_size=1, num_threads=1, step_ms=1000)
    pool.async_reset()
    for _ in range(N):
        pool.recv()
    pool.stats(reset=True)
    pool.send(np.zeros(1, int), np.array([0]))
    time.sleep(0.1)
    stats = pool.stats()
    assert 0.0 < stats.worker_busy[0] < 1.0
    assert stats.steps == 0
    pool.recv()
    assert pool.stats().worker_busy[0] >= 1.0
