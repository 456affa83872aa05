"""Workers that end on their own: who waits is told, and a reset brings them back."""

import functools
import os
import signal
import threading
import time

import numpy as np
import pytest

from envpool.errors import EnvironmentFailure
from envpool.workers.pool_side.processes import Processes
from pools import actions, counters, opened, started, stop
from worker_envs import Counter, Telling, crash, exit_at_once, hang, kill_itself, made_once, nap


def pids_of(pool):
    return pool.call("pid")


ENDS = {
    kill_itself: r"worker 0 \(pid \d+\) was killed by SIGKILL, perhaps for want of memory",
    crash: r"worker 0 \(pid \d+\) was killed by SIGSEGV",
    exit_at_once: r"worker 0 \(pid \d+\) exited with status 7",
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.one_in(3)
def test_in_a_step(end, threads):
    with started(counters(act1=end), worker_threads=threads) as pool:
        with pytest.raises(EnvironmentFailure, match=ENDS[end]) as caught:
            pool.step(actions(1, -1, 3, 4), None)
        assert 1 in caught.value.env_ids
        assert set(caught.value.env_ids) <= {0, 1}
        assert "while it ran this environment" in caught.value.messages[-1]
        assert caught.value.to_reset == [0, 1]
        reward = caught.value.results[1]
        np.testing.assert_array_equal(reward[-2:], [3, 4])
        pool.step(actions(5, 6), [2, 3])
        with pytest.raises(RuntimeError, match="environment 0"):
            pool.step(actions(1), [0])  # its worker is gone, whether its last step came through
        pool.reset(caught.value.to_reset, [7, 8], None, False)
        observation, *_ = pool.step(actions(1, 2, 3, 4), None)
        np.testing.assert_array_equal(observation[:, 0], [1, 1, 3, 3])


def test_who_ignores_the_ends_of_children(request):
    """The system forgets how they ended."""
    request.addfinalizer(functools.partial(signal.signal, signal.SIGCHLD, signal.SIG_DFL))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    hidden = pytest.raises(EnvironmentFailure, match=r"worker 0 .* has ended, and SIGCHLD's")
    with started(counters(act1=kill_itself)) as pool, hidden:
        pool.step(actions(1, -1, 3, 4), None)


def test_in_a_reset():
    with opened(counters()) as pool:
        options = {"command": kill_itself}
        with pytest.raises(EnvironmentFailure, match="SIGKILL") as caught:
            pool.reset([1], [], options, False)
        assert caught.value.env_ids == [1]
        pool.reset(None, [], None, False)


def test_in_a_constructor():
    with pytest.raises(EnvironmentFailure, match="status 7 while it made its environments"):
        opened([Counter, exit_at_once], num_workers=1).__enter__()


def test_in_a_call():
    with started(counters(call=kill_itself)) as pool:
        with pytest.raises(EnvironmentFailure, match="SIGKILL") as caught:
            pool.call("double", (1,))
        assert caught.value.env_ids == [0, 1]
        with pytest.raises(EnvironmentFailure, match="SIGKILL"):
            pool.get_attr("length")
        assert pool.get_attr("length", [2, 3]) == [5, 5]
        pool.reset(None, [], None, False)
        assert pool.get_attr("length") == [5] * 4


def test_while_closing():
    with started(counters(close=kill_itself)) as pool:
        pool.close()


def test_between_calls():
    with started([Telling] * 4) as pool:
        first, *_, last = pids_of(pool)
        os.kill(last, signal.SIGKILL)
        with pytest.raises(EnvironmentFailure, match="SIGKILL") as caught:
            while True:  # until it is noticed, while they run or before
                pool.step(actions(0, 0, 0, 0), None)
        assert caught.value.env_ids == caught.value.to_reset == [2, 3]
        pool.reset(caught.value.to_reset, [], None, False)
        after = pids_of(pool)
        assert after[0] == first
        assert after[3] != last
        pool.step(actions(0, 0, 0, 0), None)


def test_before_a_call():
    with started([Telling] * 4) as pool:
        os.kill(pids_of(pool)[3], signal.SIGKILL)
        while not pool.native.lost_workers([3]):
            time.sleep(0.001)
        for _ in range(2):
            with pytest.raises(EnvironmentFailure, match="SIGKILL") as caught:
                pool.step(actions(0, 0), [0, 3])
            assert caught.value.results is None  # environment 0 was not stepped
            assert caught.value.env_ids == [3]
        pool.step(actions(0, 0), [0, 1])
        pool.reset([2, 3], [], None, False)
        pool.step(actions(0, 0, 0, 0), None)


@pytest.mark.slow
def test_other_seeds_follow():
    """The same ones in each run, but not those that have led to the end of the process."""

    def seen_after(restarts):
        with started(counters(act1=kill_itself), seeds=[1, 2, 3, 4]) as pool:
            pool.reset(None, [], None, False)
            for _ in range(restarts):
                with pytest.raises(EnvironmentFailure):
                    pool.step(actions(0, -1, 0, 0), None)
                observation, _ = pool.reset(None, [], None, False)
        return observation[:, 1].tolist()

    once, twice = seen_after(1), seen_after(2)
    assert once == seen_after(1)
    assert once[2:] == [-1, -1]
    assert len({1, 2, *once[:2], *twice[:2]}) == 6


def test_who_waits_is_told():
    with opened(
        [functools.partial(Telling, step=functools.partial(time.sleep, 30))] * 2, batch_size=1
    ) as pool:
        pool.send_reset(None, [], None)
        pool.recv(True, 5.0)
        pool.recv(True, 5.0)
        pids = pids_of(pool)
        pool.send(actions(0, 0), None)
        timer = threading.Timer(0.1, os.kill, (pids[1], signal.SIGKILL))
        timer.start()
        with pytest.raises(EnvironmentFailure, match="SIGKILL") as caught:
            pool.recv(False, 30.0)
        assert caught.value.env_ids == [1]


def test_constructors_that_fail_when_they_are_restarted(tmp_path):
    marker = tmp_path / "marker"
    with started([functools.partial(made_once, marker), Counter]) as pool:
        marker.touch()
        with pytest.raises(EnvironmentFailure):
            pool.step(actions(-1, 0), None)
        for _ in range(2):
            with pytest.raises(EnvironmentFailure, match="only once") as caught:
                pool.reset(None, [], None, False)
            assert caught.value.env_ids == [0]
        pool.step(actions(0), [1])
        marker.unlink()
        pool.reset(None, [], None, False)
        pool.step(actions(0, 0), None)


def test_environments_that_hang():
    with started(counters(act1=hang), step_timeout=0.3) as pool:
        with pytest.raises(EnvironmentFailure, match=r"environment 1: .* in time") as caught:
            pool.step(actions(1, -1, 3, 4), None)
        np.testing.assert_array_equal(caught.value.results[1][-2:], [3, 4])
        pool.reset(None, [], None, False)
        pool.step(actions(1, 2, 3, 4), None)


@pytest.mark.parametrize("threads", [1, 2])
def test_workers_that_stop_between_steps(threads):
    """As by a debugger, or a library's thread that keeps the interpreter's lock."""
    with started([Telling] * 4, step_timeout=0.3, worker_threads=threads) as pool:
        stop(pids_of(pool)[0])
        with pytest.raises(
            EnvironmentFailure, match=r"did not answer in time \(step_timeout=0\.3"
        ) as (caught):
            pool.step(actions(1, 2, 3, 4), None)
        assert caught.value.to_reset == [0, 1]
        np.testing.assert_array_equal(caught.value.results[1][-2:], [3, 4])
        pool.reset(None, [], None, False)
        pool.step(actions(1, 2, 3, 4), None)


def test_closing_beside_a_worker_that_is_stopped():
    with started([Telling] * 4, step_timeout=0.3) as pool:
        stop(pids_of(pool)[0])
        pool.close()


class Drawing(Telling):
    """Answers calls slowly."""

    def draw(self):
        time.sleep(1.0)
        return 5


@pytest.mark.slow
def test_workers_that_answer_calls_are_not_late():
    """Although they are not asked for steps by then, which wait."""
    with started([Drawing] * 4, step_timeout=0.3) as pool:
        drawn = []
        thread = threading.Thread(target=lambda: drawn.append(pool.call("draw", env_ids=[0])))
        thread.start()
        time.sleep(0.1)
        pool.step(actions(2), [1])
        thread.join()
        assert drawn == [[5]]


def test_environments_that_are_slow_do_not_hang():
    with started(counters(step=nap), step_timeout=30.0) as pool:
        pool.step(actions(1, 1, 3, 4), None)


def test_restarts_of_which_one_fails(monkeypatch):
    """One of two workers ends before it has been told of the pool; then neither is started."""
    with started([Telling] * 4) as pool:
        for pid in set(pids_of(pool)):
            os.kill(pid, signal.SIGKILL)
        while len(pool.native.lost_workers(None)) < 2:
            time.sleep(0.001)
        connect = Processes._connect

        def kill_the_first(self, native, setup):
            os.kill(self._starting[0].pid, signal.SIGKILL)
            self._starting[0].wait(10)
            connect(self, native, setup)

        with monkeypatch.context() as patch:
            patch.setattr(Processes, "_connect", kill_the_first)
            with pytest.raises(EnvironmentFailure, match=r"worker 0 .* was killed") as caught:
                pool.reset(None, [], None, False)
        assert caught.value.env_ids == [0, 1]
        with pytest.raises(EnvironmentFailure, match="worker 1"):
            pool.call("length", env_ids=[2])
        pool.reset(None, [], None, False)
        assert pool.call("length") == [5] * 4
