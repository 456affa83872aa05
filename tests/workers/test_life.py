"""Calls at any moment of a worker's life: every one ends, and with errors that say why."""

from __future__ import annotations

import functools
import os
import queue
import random
import signal
import threading
import time
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from envpool.errors import EnvironmentFailure
from envpool.workers.pool_side.pool import PythonPool
from envpool.workers.pool_side.process import Answers, Question, WorkerProcess
from envpool.workers.pool_side.processes import Processes
from envpool.workers.worker_side.main import FAREWELL, Job
from envpool.workers.worker_side.worker import Farewell
from pools import pool_options
from worker_envs import Counter, Telling

REFUSED = "the pool is closed"


CALLED = ("pid", "render")
FINE = (RuntimeError, TimeoutError, EnvironmentFailure)  # what a caller may be told


def play(pool: PythonPool, seed: int) -> None:
    """Steps all environments, whatever becomes of their workers, until the pool is closed."""
    is_reset = True
    while True:
        try:
            if not is_reset:
                pool.reset(None, [], None, False)
            is_reset = True
            pool.step(np.zeros(4), None)
        except EnvironmentFailure:
            is_reset = False  # and the next reset may fail, too


def ask(pool: PythonPool, seed: int) -> None:
    """Asks environments that are idle, and those that are not."""
    chosen = random.Random(seed)
    while True:
        try:
            asked = [pool.get_state, *(functools.partial(pool.call, of, (), {}) for of in CALLED)]
            chosen.choice(asked)([chosen.randrange(4)])
            pool.stats(False)
        except FINE as error:
            if str(error) == REFUSED:
                return


def kill(pool: PythonPool, seed: int) -> None:
    """Kills processes at random moments, and closes the pool in the end."""
    chosen = random.Random(seed)
    for _ in range(chosen.randrange(4)):
        time.sleep(chosen.random() * 0.05)
        process = pool._workers.processes[chosen.randrange(2)]
        if not process.wait(0):
            os.kill(process.pid, signal.SIGKILL)
    time.sleep(chosen.random() * 0.05)
    pool.close()


@pytest.mark.parametrize("on_failure", ["raise", "reset"])
@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.long)])
@pytest.mark.slow
def test_kills_and_calls_of_three_threads(method, on_failure):
    """Whatever becomes of the workers, every call ends, and only with errors that say why."""
    odd: list[BaseException] = []

    def run(function: Any, *arguments: Any) -> None:
        try:
            function(*arguments)
        except FINE as error:
            if isinstance(error, EnvironmentFailure):
                odd.append(error)
        except BaseException as error:
            odd.append(error)

    for seed in range(12 if method == "fork" else 4):
        options = pool_options(4, 4, num_workers=2, start_method=method, on_failure=on_failure)
        pool = PythonPool([functools.partial(Telling, length=10**6)] * 4, options)
        pool.reset(None, [], None, False)
        threads = [
            threading.Thread(target=run, args=(function, pool, seed), daemon=True)
            for function in (play, ask, kill)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert not [thread for thread in threads if thread.is_alive()], f"seed {seed} hangs"
        assert not odd, odd


@pytest.mark.parametrize(
    "before", [[], ["start_talking"], ["start_talking", "kill"], ["kill"], ["end"]]
)
@pytest.mark.parametrize(
    "after", [["start_talking", "end"], ["end", "start_talking"], ["end", "end"]]
)
def test_every_question_is_answered(before, after):
    """Whatever becomes of a process before and after somebody asks it, as close() does."""
    process = WorkerProcess(Job(0, [0], [Counter], 1, None), "fork", queue.SimpleQueue())
    answers: Answers = queue.SimpleQueue()
    for step in before:
        getattr(process, step)()
    process.ask(Question(FAREWELL), answers)
    for step in after:
        if step != "start_talking" or step not in before:  # two would take each other's answers
            getattr(process, step)()
    number, answer = answers.get(timeout=20)
    assert number == 0
    assert isinstance(answer, Farewell) or "killed by SIGKILL" in answer


@pytest.mark.slow
def test_a_handler_that_interrupts_who_reads_the_status():
    """The thread whose answer it waits for does not wait for that one."""
    process = WorkerProcess(Job(0, [0], [Counter], 1, None), "fork", queue.SimpleQueue())
    answers: Answers = queue.SimpleQueue()
    process.start_talking()
    with process._reaping:
        os.kill(process.pid, signal.SIGKILL)
        process.ask(Question(FAREWELL), answers)
        assert answers.get(timeout=20)[0] == 0
    process.end()


class FakeProcess:
    """One that has ended, or starts."""

    number, env_ids = 0, (0,)

    def end(self) -> None:
        pass


class FakePool:
    """A native pool that has lost worker 0."""

    def idle_ids(self, env_id: Any) -> list[int]:
        return env_id

    def lost_workers(self, env_id: Any) -> list[int]:
        return [0]

    awaiting_restart = functools.partialmethod(lost_workers, None)


def test_handlers_of_signals_that_interrupt_a_restart(monkeypatch):
    """They neither wait for it nor begin another one."""
    pool: Any = FakePool()
    workers = Processes([Counter], pool_options(1, 1))
    process: Any = FakeProcess()
    workers.processes[0] = process
    told = []

    def begin(numbers: Any) -> None:
        workers._starting.append(process)
        told.append(workers._go_on(weakref.ref(pool), 0))
        with pytest.raises(RuntimeError, match="the call that this signal handler interrupts"):
            workers.before_reset(pool, None)
        raise OSError("no more processes")

    monkeypatch.setattr(workers, "_setup", SimpleNamespace(seeds=[None]), raising=False)
    monkeypatch.setattr(workers, "_begin", begin)
    with pytest.raises(EnvironmentFailure, match="cannot be started: no more processes"):
        workers.before_reset(pool, None)
    assert told == [""]
