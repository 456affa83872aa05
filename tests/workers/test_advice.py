"""Which number of workers a pool recommends."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

import envpool
from envpool.machine import CoreTime, queued_seconds
from envpool.workers.pool_side.advice import Load, advise
from worker_envs import Counter

# 64 environments on 2 cores; 100 batches, for which the caller waited most of the time.
USUAL = Load(
    num_envs=64,
    batch_size=64,
    num_workers=2,
    worker_threads=1,
    cores=2,
    elapsed=1.0,
    batches=100,
    work=1.8,
    computed=1.8,
    queued=0.0,
    waited=0.95,
)


@pytest.mark.parametrize(
    ("changed", "best"),
    [
        ({}, None),
        ({"batches": 5, "num_workers": 8}, None),  # too few to tell
        ({"waited": 0.2, "num_workers": 8}, None),  # it is the policy that takes the time
        ({"num_workers": 8}, 2),
        ({"num_workers": 1, "work": 0.95, "computed": 0.95}, 2),
        ({"num_workers": 0, "work": 0.95, "computed": 0.0}, 2),
        ({"num_workers": 0, "work": 0.01, "computed": 0.0}, None),
        ({"num_workers": 0, "work": 0.95, "computed": 0.0, "cores": 1}, None),
        # 80 us of work, and a wait of 150.
        ({"batches": 6000, "work": 0.48, "computed": 0.48, "waited": 0.9}, 0),
        ({"batches": 6000, "work": 0.48, "computed": 0.48, "waited": 0.9, "batch_size": 16}, None),
        # They sleep for 95 % of the time.
        ({"computed": 0.09}, 40),
        ({"computed": 0.01}, 64),
        ({"computed": 0.01, "work": 0.5}, None),  # most workers have nothing to do
        ({"computed": 0.01, "num_workers": 64, "work": 60.0}, None),
        # They compute, but another program, or a quota, has the cores for half of the time or more.
        ({"computed": 0.85, "queued": 0.9}, None),
        ({"computed": 0.5, "queued": 1.3, "num_workers": 8}, 2),
        ({"computed": 0.09, "queued": 0.09}, 20),
    ],
)
def test_advice(changed, best):
    hint = advise(USUAL._replace(**changed))
    assert (hint is None) == (best is None)
    assert best is None or f"num_workers={best}" in hint


def test_time_on_the_run_queue_is_read_of_all_threads(tmp_path):
    for thread, text in (("7", "5 3000000000 9\n"), ("8", "6 500000000 9\n"), ("9", "")):
        folder = tmp_path / "7" / "task" / thread
        folder.mkdir(parents=True)
        (folder / "schedstat").write_text(text)
    assert queued_seconds(7, tmp_path) == pytest.approx(3.5)
    assert queued_seconds(8, tmp_path) == 0.0


def test_times_of_a_restarted_worker_count_from_zero():
    before = CoreTime(pid=7, used=5.0, queued=3.0)
    assert CoreTime(8, 1.0, 0.5).since(before) == CoreTime(8, 1.0, 0.5)
    assert CoreTime(7, 6.0, 2.5).since(before) == CoreTime(7, 1.0, 0.0)  # a thread has ended


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="needs the kernel's counts")
def test_workers_that_share_a_core_do_not_wait():
    """Three on one core have a third of it each, and wait for nothing else."""

    class Computing(Counter):
        def step(self, action):
            end = time.thread_time() + 0.002
            while time.thread_time() < end:
                pass
            return super().step(action)

    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        options = {"num_workers": 3, "start_method": "fork"}
        with envpool.make_python(Computing, "gymnasium", num_envs=3, **options) as env:
            env.reset()
            env.stats(reset=True)
            for _ in range(20):
                env.step(np.zeros(3, np.int64))
            stats = env.stats()
    finally:
        os.sched_setaffinity(0, allowed)
    assert len(stats.worker_queued) == 3 and sum(stats.worker_queued) > 0.02
    assert stats.hint.startswith("the environments compute") and "num_workers=1" in stats.hint


def test_environments_that_wait_are_told_from_those_that_compute():
    class Sleeper(Counter):
        def step(self, action):
            time.sleep(0.01)
            return super().step(action)

    env = envpool.make_python(Sleeper, "gymnasium", num_envs=4, num_workers=1)
    env.reset()
    env.stats(reset=True)
    for _ in range(20):
        env.step(np.zeros(4, np.int64))
    stats = env.stats()
    assert len(stats.worker_env) == len(stats.worker_copy) == 1
    assert stats.worker_busy[0] == pytest.approx(stats.worker_env[0] + stats.worker_copy[0])
    assert "num_workers=4, or worker_threads=4" in stats.hint
    assert "wait" in stats.hint
    env.close()
