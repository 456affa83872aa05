"""Workers that end while their pool goes on after failures (on_failure="reset")."""

import contextlib
import functools
import os
import signal
import threading
import time

import numpy as np
import pytest

import envpool
from envpool.errors import EnvironmentFailure
from envpool.flavours import python_pools
from envpool.workers.pool_side import processes
from pools import actions, counters
from worker_envs import Counter, hang, kill_itself, made_once

pytestmark = pytest.mark.filterwarnings("ignore:environment . failed:RuntimeWarning")


def surviving(factories=(Counter,) * 4, **options):
    given = {"num_workers": 2, "start_method": "fork", "on_failure": "reset"} | options
    return envpool.make_python(list(factories), "gymnasium", **given)


@contextlib.contextmanager
def started(*factories, **options):
    """Its first episodes have begun."""
    with surviving(*factories, **options) as pool:
        pool.reset()
        yield pool


def send_to_the_second(pool):
    """What environment 1 is told is under way; all others are idle."""
    pool.async_reset()
    for _ in range(4):
        pool.recv(timeout=5.0)
    pool.send(actions(-1), [1])


def failures_of(results):
    """By environment, what is told of those that have survived something."""
    info = results[-1]
    told = info.get("failure", [None] * len(info["env_id"]))
    return {env: text for env, text in zip(info["env_id"].tolist(), told, strict=True) if text}


def kill(pool, worker):
    """Kills a worker while nothing is in flight, and waits until it has ended."""
    process = pool._pool._workers.processes[worker]
    os.kill(process.pid, signal.SIGKILL)
    while not process.wait(0):
        time.sleep(0.001)


def test_environments_that_hang():
    with started(counters(act1=hang), step_timeout=0.2) as pool:
        told = failures_of(pool.step(actions(0, -1, 0, 0)))
        assert told[1].endswith("because it did not return in time (step_timeout=0.2)")
        for _ in range(3):
            results = pool.step(actions(0, 0, 0, 0))
        assert not failures_of(results)
        np.testing.assert_array_equal(results[0][2:, 0], [4, 4])


def test_an_end_after_the_last_failure_is_told_of_all_at_once():
    with started(counters(act1=kill_itself), max_failures=2) as pool:
        told = failures_of(pool.step(actions(0, -1, 0, 0)))
        while len(told) < 2:
            told |= failures_of(pool.step(actions(0, 0, 0, 0)))
        with pytest.raises(EnvironmentFailure) as caught:
            pool.step(actions(0, -1, 0, 0))
        assert caught.value.to_reset == [0, 1]
        pool.reset([0, 1])
        pool.step(actions(0, 0, 0, 0))


@pytest.mark.parametrize("threads", [1, 2])
def test_others_of_the_worker_are_told_once(threads):
    """Whether they had their result before its end, ran beside it or waited for it."""
    with started(counters(act1=kill_itself), worker_threads=threads) as pool:
        told = [failures_of(pool.step(actions(0, -1, 0, 0)))]
        told += [failures_of(pool.step(actions(0, 0, 0, 0))) for _ in range(3)]
        assert sorted(env for row in told for env in row) == [0, 1]
        assert pool.stats().failures == 2


def test_between_calls():
    with started([Counter] * 4, autoreset_mode="SameStep") as pool:
        pool.step(actions(0, 0, 0, 0))
        kill(pool, 1)
        results = pool.step(actions(0, 0, 0, 0))
        assert list(failures_of(results)) == [2, 3]
        np.testing.assert_array_equal(results[0][:, 0], [2, 2, 0, 0])
        np.testing.assert_array_equal(results[-1]["elapsed_step"], [2, 2, 0, 0])
        np.testing.assert_array_equal(pool.step(actions(0, 0, 0, 0))[0][:, 0], [3, 3, 1, 1])


def test_resets_need_not_be_told():
    with started() as pool:
        for _ in range(2):
            kill(pool, 0)
            observation, _ = pool.reset([0, 1], seed=[5, 6])
            np.testing.assert_array_equal(observation, [[0, 5], [0, 6]])
            assert not failures_of(pool.step(actions(0, 0, 0, 0)))
        assert pool.stats().failures == 0


def test_who_is_never_waited_for():
    """The other worker always has a batch ready."""
    with surviving(batch_size=2) as pool:
        pool.async_reset()
        for _ in range(2):
            pool.recv(timeout=5.0)
        pool.send(actions(0, 0), [2, 3])
        kill(pool, 0)
        pool.send(actions(0, 0), [0, 1])
        told = {}
        end = time.monotonic() + 20
        while len(told) < 2 and time.monotonic() < end:
            results = pool.recv(timeout=5.0)
            told |= failures_of(results)
            ids = results[-1]["env_id"]
            pool.send(actions(*[0] * len(ids)), ids)
        assert sorted(told) == [0, 1]


@pytest.mark.slow
def test_resets_that_end_the_worker_are_raised():
    with started() as pool:
        for _ in range(2):
            with pytest.raises(EnvironmentFailure, match="SIGKILL") as caught:
                pool.reset([1], options={"command": kill_itself})
            assert caught.value.env_ids == [1]
        pool.reset([1])
        pool.step(actions(0, 0, 0, 0))


def test_resets_that_wait_behind_are_repeated():
    """Environment 0 is asked after environment 1, which ends the worker."""
    factories = [Counter, functools.partial(Counter, act1=kill_itself)]
    with surviving(factories, num_workers=1, batch_size=1) as pool:
        pool.async_reset()
        for _ in range(2):
            pool.recv(timeout=5.0)
        pool.send(actions(-1), [1])
        pool.async_reset([0], seed=[7])
        seen = {}
        for _ in range(2):
            observation, *_, info = pool.recv(timeout=10.0)
            seen[int(info["env_id"][0])] = observation[0].tolist()
        assert seen == {0: [0, 7], 1: [0, seen[1][1]]}


def test_a_constructor_may_fail_once(tmp_path):
    marker = tmp_path / "marker"

    def flaky():
        if marker.exists():
            marker.unlink()
            raise ConnectionError("no licence")
        return Counter(act1=kill_itself)

    with started([flaky, Counter]) as pool:
        marker.touch()
        with pytest.warns(RuntimeWarning, match="worker 0 has ended.*again has failed.*no licence"):
            assert list(failures_of(pool.step(actions(-1, 0)))) == [0]


def test_resets_of_others_that_are_cut_off_are_repeated(tmp_path):
    """Environment 0 is being reset by another thread when environment 1 ends the worker."""

    resets = tmp_path / "resets"
    resets.touch()

    def slowly():
        with resets.open("a") as file:
            file.write("x")
        time.sleep(0.1)

    factories = [
        functools.partial(Counter, length=1, reset=slowly),
        functools.partial(Counter, act1=kill_itself),
    ]
    with surviving(factories, num_workers=1, worker_threads=2, batch_size=1) as pool:
        pool.async_reset()
        told = {}
        while len(resets.read_text()) < 4 or not told:
            results = pool.recv(timeout=10.0)
            told |= failures_of(results)
            pool.send(actions(-1 if results[-1]["env_id"][0] == 1 else 0), results[-1]["env_id"])
    assert 1 in told


def test_what_the_end_of_a_worker_cuts_off_is_no_episode():
    """Environment 0 is between two episodes when its worker ends, environment 1 in one."""
    factories = [functools.partial(Counter, length=1), Counter]
    with started(factories, num_workers=1, record_episode_statistics=True) as pool:
        pool.step(actions(0, 0))
        kill(pool, 0)
        *_, truncated, info = pool.step(actions(0, 0))
        assert truncated.tolist() == [True, True]
        assert info["_episode"].tolist() == [False, False]


@pytest.mark.slow
def test_native_environments_that_hang():
    source = "envpool.families.testing.registration:envpool/testing-Faulty-v0"
    kwargs = [{"fault": "hang"}, {}]
    options = {"num_workers": 2, "step_timeout": 1, "on_failure": "reset", "env_kwargs": kwargs}
    with envpool.make_python(source, num_envs=2, **options) as pool:
        pool.reset()
        with pytest.warns(RuntimeWarning, match="it did not return in time"):
            rows = [pool.step(np.zeros((2, 2), np.float32)) for _ in range(7)]
    assert rows[-1][3].tolist() == [True, False]


def test_closing_does_not_wait_for_what_hangs():
    with surviving(counters(act1=hang), step_timeout=0.3, batch_size=1) as pool:
        send_to_the_second(pool)
        begin = time.monotonic()
        pool.close()
        assert time.monotonic() - begin < 20


@pytest.mark.slow
def test_closing_tells_for_whom_it_waits(monkeypatch):
    monkeypatch.setattr(processes, "_SILENCE_S", 0.1)
    nap = functools.partial(time.sleep, 1.0)
    with surviving(counters(act1=nap), batch_size=1) as pool:
        send_to_the_second(pool)
        time.sleep(0.2)  # until its worker has begun
        with pytest.warns(RuntimeWarning, match=r"close\(\) waits for .*among \[0, 1\].*terminate"):
            pool.close()


def test_exceptions_do_not_wait_for_what_hangs(monkeypatch):
    monkeypatch.setattr(python_pools, "_PATIENCE_S", 0.2)
    with pytest.raises(ZeroDivisionError), surviving(counters(act1=hang), batch_size=1) as pool:
        send_to_the_second(pool)
        raise ZeroDivisionError


def test_workers_that_cannot_be_started_again(tmp_path):
    marker = tmp_path / "marker"
    with started([functools.partial(made_once, marker), Counter]) as pool:
        marker.touch()
        with pytest.raises(EnvironmentFailure, match=r"again has failed 3 times: .*only once"):
            pool.step(actions(-1, 0))
        pool.step(actions(0), [1])
        marker.unlink()
        pool.reset([0])
        pool.step(actions(0, 0))


def test_ctrl_c_while_it_is_started_again(tmp_path):
    """The next call tries once more."""
    marker = tmp_path / "marker"

    def slow():
        if marker.exists():
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(0.3)
        return Counter(act1=kill_itself)

    with started([slow, Counter]) as pool:
        marker.touch()
        with pytest.raises(KeyboardInterrupt):
            pool.step(actions(-1, 0))
        marker.unlink()
        results = pool.recv(timeout=10.0)
        assert list(failures_of(results)) == [0]
        np.testing.assert_array_equal(results[0][:, 0], [0, 1])


def test_closing_while_it_is_started_again(tmp_path):
    marker = tmp_path / "marker"

    def slow():
        if marker.exists():
            time.sleep(30)
        return Counter(act1=kill_itself)

    with started([slow, Counter]) as pool:
        marker.touch()
        closing = threading.Timer(0.3, functools.partial(pool._pool.close, terminate=True))
        closing.start()
        begin = time.monotonic()
        with pytest.raises(RuntimeError, match="closed"):
            pool.step(actions(-1, 0))
        closing.join()
        assert time.monotonic() - begin < 20
