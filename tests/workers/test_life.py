"""The life of a worker: what its calls come to in each stage, and calls at any moment of it."""

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
from envpool.workers.pool_side import life as lives
from envpool.workers.pool_side.life import Life, Stage
from envpool.workers.pool_side.pool import PythonPool
from envpool.workers.pool_side.process import Question
from envpool.workers.pool_side.processes import Processes
from pools import pool_options
from worker_envs import Counter

REFUSED = "the pool is closed"


class FakeProcess:
    """Answers at once."""

    def __init__(self, job: Any, method: str) -> None:
        self.is_running = True

    def ask(self, question: Question, answers: Any) -> None:
        answers.put((0, "answered"))

    def describe_end(self) -> str:
        return "exited"

    def end(self) -> None:
        self.is_running = False


class Case:
    """A life in a stage, and its process."""

    def __init__(self, stage: Stage, was_ready: bool = True) -> None:
        self.life = Life(0, [0])
        if stage is not Stage.ENDED:
            self.life.begin(None, "fork")  # type: ignore[arg-type]
        if stage is Stage.READY or (stage is Stage.CLOSED and was_ready):
            self.life.serve()
        if stage is Stage.CLOSED:
            self.life.close()
        self.process = self.life.process

    def tell(self, call: str) -> str:
        """What a call comes to, in words."""
        try:
            result = getattr(self, call)()
        except RuntimeError as error:
            return str(error)
        return result if isinstance(result, str) else self.life.stage.name

    def ask(self) -> str:
        answers: Any = queue.SimpleQueue()
        self.life.ask(Question(b""), answers)
        return str(answers.get_nowait()[1])

    def begin(self) -> None:
        self.life.begin(None, "fork")  # type: ignore[arg-type]

    def serve(self) -> None:
        self.life.serve()

    def lose(self) -> None:
        self.life.lose()
        expected = self.life.stage is Stage.CLOSED
        assert self.process is None or self.process.is_running == expected

    def close(self) -> str:
        return "a process to end" if self.life.close() else "nothing to end"


# What a call comes to: an answer, an error, or the next stage.
TABLE = {
    Stage.ENDED: {
        "ask": "worker 0 was ended",
        "begin": "STARTING",
        "lose": "ENDED",
        "close": "nothing to end",
    },
    Stage.STARTING: {
        "ask": "worker 0 was ended",
        "serve": "READY",
        "lose": "ENDED",
        "close": "a process to end",
    },
    Stage.READY: {"ask": "answered", "lose": "ENDED", "close": "a process to end"},
    Stage.CLOSED: {
        "ask": "the pool was closed",
        "begin": REFUSED,
        "serve": REFUSED,
        "lose": "CLOSED",
        "close": "a process to end",
    },
}


@pytest.mark.parametrize(("stage", "call"), [(s, call) for s, row in TABLE.items() for call in row])
def test_calls_in_each_stage(monkeypatch, stage, call):
    monkeypatch.setattr(lives, "WorkerProcess", FakeProcess)
    assert Case(stage).tell(call) == TABLE[stage][call]


def test_one_that_has_ended_on_its_own_is_described(monkeypatch):
    monkeypatch.setattr(lives, "WorkerProcess", FakeProcess)
    case = Case(Stage.READY)
    case.process.is_running = False
    case.life.lose()
    assert case.tell("ask") == "exited"
    case.begin()
    assert case.tell("ask") == "exited", "the one that starts is not asked"


def test_pools_that_are_closed_while_a_process_starts(monkeypatch):
    """It ends, because nobody else knows of it."""
    made = []

    class Late(FakeProcess):
        def __init__(self, job: Any, method: str) -> None:
            super().__init__(job, method)
            made.append(self)
            life.close()

    monkeypatch.setattr(lives, "WorkerProcess", Late)
    life = Life(0, [0])
    with pytest.raises(RuntimeError, match=REFUSED):
        life.begin(None, "fork")  # type: ignore[arg-type]
    assert not made[0].is_running


class Killed(Counter):
    """Has a state, and tells in which process it is."""

    def pid(self) -> int:
        return os.getpid()

    def get_state(self) -> int:
        return self.steps

    def set_state(self, state: int) -> None:
        self.steps = state


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
            call = chosen.choice([pool.get_state, functools.partial(pool.call, "pid", (), {})])
            call([chosen.randrange(4)])
        except FINE as error:
            if str(error) == REFUSED:
                return


def kill(pool: PythonPool, seed: int) -> None:
    """Kills processes at random moments, and closes the pool in the end."""
    chosen = random.Random(seed)
    for _ in range(chosen.randrange(4)):
        time.sleep(chosen.random() * 0.05)
        process = pool._workers.lives[chosen.randrange(2)].process
        if process is not None:
            os.kill(process.pid, signal.SIGKILL) if process.is_running else None
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
        pool = PythonPool([functools.partial(Killed, length=10**6)] * 4, options)
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


class FakePool:
    """A native pool that has lost worker 0."""

    def check_idle(self, env_id: Any, mended: bool) -> None:
        pass

    def lost_workers(self, env_id: Any) -> list[int]:
        return [0]

    awaiting_restart = functools.partialmethod(lost_workers, None)


def test_handlers_of_signals_that_interrupt_a_restart(monkeypatch):
    """They neither wait for it nor begin another one."""
    pool: Any = FakePool()
    workers = Processes([Counter], pool_options(1, 1))
    told = []

    def begin(lives: Any) -> None:
        told.append(workers._go_on(weakref.ref(pool), 0))
        with pytest.raises(RuntimeError, match="the call that this signal handler interrupts"):
            workers.before_reset(pool, None)
        raise OSError("no more processes")

    monkeypatch.setattr(workers, "_setup", SimpleNamespace(seeds=[None]), raising=False)
    monkeypatch.setattr(workers, "_begin", begin)
    with pytest.raises(EnvironmentFailure, match="cannot be started: no more processes"):
        workers.before_reset(pool, None)
    assert told == [""]
