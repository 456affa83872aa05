"""Signals whose handlers raise, as Ctrl-C does, and calls of several threads."""

import contextlib
import functools
import signal
import sys
import threading
import time

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from envpool.errors import EnvironmentFailure
from pools import actions, open_files, opened, started
from worker_envs import Counter, leave, press_ctrl_c


class TimeUpError(Exception):
    """Raised by a handler."""


@contextlib.contextmanager
def handled(number, error):
    """A signal whose handler raises.

    Python may call it where nothing can be raised, as in what a weak reference calls. pytest would
    keep what is lost there, and with it the frames that it came through and the pools in them.
    """

    def handler(*_):
        raise error

    def drop(lost):
        if not isinstance(lost.exc_value, kind):
            hook(lost)

    kind = error if isinstance(error, type) else type(error)
    before, hook = signal.signal(number, handler), sys.unraisablehook
    sys.unraisablehook = drop
    try:
        yield
    finally:
        sys.unraisablehook = hook
        signal.signal(number, before)


@pytest.mark.parametrize("way", [{}, {"num_workers": 0}])
@pytest.mark.slow
def test_threads_may_close_together(way):
    raised = []

    def close(pool, **arguments):
        try:
            pool.close(**arguments)
        except BaseException as error:
            raised.append(error)

    for _ in range(5):
        with opened(num_workers=3) if not way else started(**way) as pool:
            given = ({}, {"timeout": 5.0}, {"terminate": True}, {})
            threads = [
                threading.Thread(target=close, args=(pool,), kwargs=arguments)
                for arguments in given
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert raised == []


def test_a_closed_pool_has_no_files_open():
    before = open_files()  # of which others' may be closed meanwhile
    with opened() as pool:
        observation, _ = pool.reset(None, [], None, False)
        assert not open_files() <= before
        pool.close()
        assert open_files() <= before
        np.testing.assert_array_equal(observation[:, 0], 0)


class Slow(gymnasium.Env):
    """Is interrupted in whatever it does, if that is its command."""

    observation_space = spaces.Box(-1, 1, (), np.float64)
    action_space = spaces.Discrete(2)

    def __init__(self, command, do, log):
        self.command, self.do, self.log = command, do, log

    def _run(self, what):
        if self.command == what:
            self.log.append(what)
            self.do()

    def reset(self, *, seed=None, options=None):
        return 0.0, {}

    def step(self, action):
        return 0.0, 0.0, False, False, {}

    def work(self):
        self._run("call")

    @property
    def attribute(self):
        self._run("get_attr")

    @attribute.setter
    def attribute(self, value):
        self._run("set_attr")

    def get_state(self):
        self._run("get_state")
        return 1

    def set_state(self, state):
        self._run("set_state")

    def render(self):
        self._run("render")
        return np.zeros((1, 1, 3), np.uint8)

    def close(self):
        self._run("close")


CALLS = {
    "call": lambda pool: pool.call("work"),
    "get_attr": lambda pool: pool.get_attr("attribute"),
    "set_attr": lambda pool: pool.set_attr("attribute", [1] * 3),
    "get_state": lambda pool: pool.get_state(),
    "set_state": lambda pool: pool.set_state(pool.get_state()),
    "render": lambda pool: pool.call("render"),
    "close": lambda pool: pool.close(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("do", "kind"), [(press_ctrl_c, KeyboardInterrupt), (leave, SystemExit)], ids=["Ctrl-C", "exit"]
)
def test_without_workers_interrupts_come_out(call, do, kind):
    """At once: the other environments are not called any more."""
    log = []
    with started([functools.partial(Slow, call, do, log)] * 3, num_workers=0) as pool:
        with pytest.raises(kind):
            CALLS[call](pool)
        assert log == [call]
        if call == "close":
            for _ in range(2):  # goes on where it was, with the next environment
                with pytest.raises(kind):
                    pool.close()
            pool.close()
            assert log == [call] * 3


def test_with_workers_interrupts_in_calls_are_failures():
    with opened([functools.partial(Slow, "call", leave, [])] * 2) as pool:
        with pytest.raises(EnvironmentFailure) as caught:
            pool.call("work")
        assert caught.value.env_ids == [0, 1]
        assert type(caught.value.__cause__) is SystemExit


def test_processes_that_start_are_spared_ctrl_c():
    """The mask of signals is what it was, and so is what Ctrl-C does in a worker."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with opened([functools.partial(Counter, call=press_ctrl_c)] * 2) as pool:
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before
        assert pool.call("double", (1,)) == [2, 2]
        pool.reset(None, [], None, False)
        pool.step(actions(0, 0), None)


class Sleeper(Slow):
    """Sleeps in the call that it is told of."""

    def __init__(self, command):
        super().__init__(command, functools.partial(time.sleep, 1), [])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("error", [TimeoutError, TimeUpError])
@pytest.mark.parametrize("call", ["call", "get_state", "close"])
def test_with_workers_what_handlers_raise_comes_out(call, error):
    """Also what a wait itself may raise."""
    raised = error("from a handler")
    with opened([functools.partial(Sleeper, call)] * 3) as pool, handled(signal.SIGALRM, raised):
        pool.reset(None, [], None, False)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(error) as caught:
            CALLS[call](pool)
        assert caught.value is raised
