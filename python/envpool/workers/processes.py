"""Processes: all worker processes of a pool; and LocalWorkers, which does without."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import queue
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import cloudpickle

from envpool import _core
from envpool.errors import EnvironmentFailure
from envpool.workers.factories import Factory
from envpool.workers.letters import Letters, LocalLetters
from envpool.workers.main import Job
from envpool.workers.process import LONGEST_WAIT_S, WorkerEnded, WorkerProcess
from envpool.workers.process import Answer as ProcessAnswer
from envpool.workers.surroundings import Surroundings
from envpool.workers.worker import Answer, FactoryError, Failures, Made, Setup, Worker

_EXIT_S = 5.0  # how long a worker may take to exit once its environments are closed

MakeSetup = Callable[[int], Setup]  # of the worker of that number
# A method of Worker and its arguments, for each worker that is asked.
Requests = Mapping[int, tuple[str, tuple[Any, ...]]]
# Waits so many seconds; None: without end. Gives each worker's answers, or how it ended.
WaitForAnswers = Callable[[float | None], dict[int, list[Answer] | str]]
Said = queue.SimpleQueue[tuple[int, Any]]


class Processes:
    """The worker processes of a pool. Starts them all and makes their environments.

    Args:
        factories: What makes each environment.
        workers: The worker of each environment.
        method: How processes start.
        num_threads: How many environments of a process run at the same time.

    Attributes:
        made: What each worker said of its environments.
        letters: How the pool and its workers write to each other.

    Raises:
        EnvironmentFailure: An environment was not made, or its factory cannot be pickled.
    """

    def __init__(
        self, factories: Sequence[Factory], workers: Sequence[int], method: str, num_threads: int
    ) -> None:
        self.letters = Letters(by_value=method != "fork")
        self._env_ids: list[list[int]] = [[] for _ in range(max(workers) + 1)]
        for env_id, worker in enumerate(workers):
            self._env_ids[worker].append(env_id)
        self._factories = factories
        self._method = method
        self._num_threads = num_threads
        self._processes: dict[int, WorkerProcess] = {}
        self._ends: dict[int, str] = {}  # how workers that have no process have lost it
        self._owner = os.getpid()
        _all.add(self)
        self.made = self._start(range(len(self._env_ids)))

    def _start(self, numbers: Iterable[int]) -> list[Made]:
        """Starts workers and waits until their environments are made. All, or none."""
        numbers = list(numbers)
        made = []
        failures: list[tuple[int, bytes | str]] = []
        try:
            surroundings = None if self._method == "fork" else Surroundings.here()
            jobs = [self._job(number, surroundings) for number in numbers]
            for number, job in zip(numbers, jobs, strict=True):
                process = WorkerProcess(f"worker {number}", job, self._method)
                self._processes[number] = process
                process.start()
            for number in numbers:
                try:
                    what, content = self._processes[number].receive()
                except WorkerEnded as end:
                    text = f"{end} while it made its environments"
                    failures += [(env_id, text) for env_id in self._env_ids[number]]
                    continue
                if what == "made":
                    made.append(self.letters.read(content))
                else:
                    failures += content
            if failures:
                raise_failures(self.letters, failures)
        except BaseException:
            for number in numbers:
                self._drop(number)
            raise
        return made

    def _job(self, number: int, surroundings: Surroundings | None) -> Job:
        env_ids = self._env_ids[number]
        factories = [self._factories[env_id] for env_id in env_ids]
        num_threads = min(self._num_threads, len(env_ids))
        if self._method == "fork":
            return Job(env_ids, factories, num_threads, None)
        return Job(env_ids, _pickled(env_ids, factories), num_threads, surroundings)

    def connect(self, native: _core.SharedPool, make_setup: MakeSetup) -> None:
        """Has all of them serve a pool."""
        self._connect(native, make_setup, self._processes)

    def restart(
        self, native: _core.SharedPool, make_setup: MakeSetup, numbers: Sequence[int]
    ) -> None:
        """Starts new processes for workers that have ended.

        Raises:
            EnvironmentFailure: An environment was not made. None of them is started then.
        """
        for number in numbers:
            self._drop(number)
        self._start(numbers)
        self._connect(native, make_setup, numbers)

    def _connect(
        self, native: _core.SharedPool, make_setup: MakeSetup, numbers: Iterable[int]
    ) -> None:
        numbers = list(numbers)
        try:
            self._introduce(native, make_setup, numbers)
        except BaseException:
            for number in numbers:
                self._drop(number)
            raise
        for number in numbers:
            process = self._processes[number]
            native.set_worker(number, process.pid, process.sentinel)

    def _introduce(
        self, native: _core.SharedPool, make_setup: MakeSetup, numbers: Sequence[int]
    ) -> None:
        """Tells workers of the pool, and waits until they are ready."""
        exchange, inbox, *outboxes = native.files
        for number in numbers:
            process = self._processes[number]
            process.send(self.letters.write(make_setup(number)))
            process.send_files([exchange, inbox, outboxes[number]])
        for number in numbers:
            try:
                self._processes[number].receive()
            except WorkerEnded as end:
                failures = [(env_id, str(end)) for env_id in self._env_ids[number]]
                raise_failures(self.letters, failures)

    def cpu_seconds(self) -> dict[int, float]:
        """How long each was on a core, of those that live, by their pids."""
        running = [process for process in self._processes.values() if process.is_running]
        return {process.pid: process.cpu_seconds() for process in running}

    def describe_end(self, number: int) -> str:
        """What became of a worker that ended."""
        process = self._processes.get(number)
        if process is None:
            return self._ends.get(number, f"worker {number} was ended")
        return process.describe_end()

    def _drop(self, number: int) -> None:
        """Ends a worker, if there is one, and remembers how it ended if it was not by this."""
        process = self._processes.pop(number, None)
        if process is not None:
            if process.has_started and not process.is_running:
                self._ends[number] = process.describe_end()
            process.end()

    def ask(self, native: _core.SharedPool, requests: Requests) -> WaitForAnswers:
        """Has workers do something, after all that they were asked to do before.

        Args:
            native: The pool that they serve.
            requests: What each of them is to do.

        Returns:
            What waits for what each of them says; see :func:`_collect`.
        """
        messages = {worker: self.letters.write(request) for worker, request in requests.items()}
        said: Said = queue.SimpleQueue()
        for worker, message in messages.items():
            process = self._processes.get(worker)
            if process is None:
                said.put((worker, self.describe_end(worker)))
            else:
                ring = functools.partial(native.ring_for_control, worker)
                process.ask(message, ring, functools.partial(_put, said, worker))
        return functools.partial(_collect, said, {}, len(messages))

    def end(self, timeout: float | None, terminate: bool = False) -> Failures:
        """Ends them all, after the native pool was closed. May be called again.

        Args:
            timeout: Seconds in which they may close their environments; those that take longer are
                killed.
            terminate: They are killed at once.

        Returns:
            The environments that failed to close.
        """
        if os.getpid() != self._owner:
            return []
        deadline = None if timeout is None else time.monotonic() + timeout
        failures: Failures = []
        try:
            if not terminate:
                failures = self._close_environments(deadline)
        finally:
            for process in self._processes.values():
                process.kill()
            while self._processes:
                self._processes.popitem()[1].end()
        return failures

    def _close_environments(self, deadline: float | None) -> Failures:
        """Waits until all have closed their environments, and exited."""
        failures: Failures = []
        said: Said = queue.SimpleQueue()
        for number, process in self._processes.items():
            farewell = pickle.dumps(None)  # for those that have no pool yet, which could tell them
            process.ask(farewell, lambda: None, functools.partial(_put, said, number))
        closed: dict[int, Any] = {}
        with contextlib.suppress(TimeoutError):
            _collect(said, closed, len(self._processes), _left_until(deadline))
        for answer in closed.values():
            failures += [] if isinstance(answer, str) else answer
        last = time.monotonic() + _EXIT_S
        for process in self._processes.values():
            process.await_end(last if deadline is None else min(last, deadline))
        return failures

    def abandon(self) -> None:
        """In a forked child: they are the parent's."""
        for process in self._processes.values():
            process.abandon()
        self._processes = {}


class LocalWorkers:
    """The same without processes: all environments are in this one.

    Args:
        factories: What makes each environment.

    Raises:
        EnvironmentFailure: An environment was not made.
    """

    def __init__(self, factories: Sequence[Factory]) -> None:
        self.letters: Letters = LocalLetters()
        try:
            self._worker = Worker(range(len(factories)), factories, self.letters)
        except FactoryError as failure:
            if not isinstance(failure.error, Exception):
                raise failure.error from None  # as Ctrl-C: it is this process that it would end
            letter = self.letters.write_error(failure.error)
            raise_failures(self.letters, [(failure.env_id, letter)])
        self.made = [self._worker.made()]

    @property
    def environments(self) -> list[Any]:
        """All of them."""
        return self._worker.environments

    def connect(self, native: _core.SharedPool, make_setup: MakeSetup) -> None:
        """Has the environments serve a pool."""
        exchange, inbox, outbox = native.files
        native.set_station(self._worker.make_station(make_setup(0), (exchange, inbox, outbox)))

    def restart(
        self, native: _core.SharedPool, make_setup: MakeSetup, numbers: Sequence[int]
    ) -> None:
        """There is nothing that could have ended."""

    def cpu_seconds(self) -> dict[int, float]:
        """There are no processes."""
        return {}

    def describe_end(self, number: int) -> str:
        """Nothing ends."""
        return ""

    def ask(self, native: _core.SharedPool, requests: Requests) -> WaitForAnswers:
        """See :meth:`Processes.ask`."""
        answers = {
            worker: getattr(self._worker, method)(*arguments)
            for worker, (method, arguments) in requests.items()
        }
        return lambda timeout: answers

    def end(self, timeout: float | None, terminate: bool = False) -> Failures:
        """Closes the environments; tells which of them failed to."""
        return self._worker.close()


def raise_failures(
    letters: Letters,
    failures: Iterable[tuple[int, bytes | str]],
    results: Any = None,
    lost: Iterable[int] = (),
) -> None:
    """Raises an EnvironmentFailure whose cause is the first environment's exception.

    Args:
        letters: How these were written.
        failures: The environments with the letters, or texts, that tell why they failed.
        results: What goes with it. If there are none, no environment waits for a reset.
        lost: Environments that have failed with their worker, and wait for a reset, too.
    """
    read = [(env_id, *letters.read_error(letter)) for env_id, letter in sorted(failures)]
    advice = "reset it before its next step" if results is not None else ""
    failure = EnvironmentFailure([(env_id, text) for env_id, text, *_ in read], results, advice)
    failure.tracebacks = [trace for *_, trace in read]
    failure.to_reset = sorted({*failure.to_reset, *lost})
    raise failure from read[0][2]


def _pickled(env_ids: Sequence[int], factories: Sequence[Factory]) -> bytes:
    """The factories of a worker, which may share what they refer to."""
    try:
        pickled: bytes = cloudpickle.dumps(factories)
        return pickled
    except Exception as error:
        # If they cannot be pickled together, it is because of one of them.
        for env_id, factory in zip(env_ids, factories, strict=True):
            try:
                cloudpickle.dumps(factory)
            except Exception as reason:
                text = f"its factory cannot be pickled: {reason}"
                raise EnvironmentFailure([(env_id, text)], None, "") from reason
        raise EnvironmentFailure([(env_ids[0], str(error))], None, "") from error


def _put(said: Said, worker: int, answer: ProcessAnswer) -> None:
    said.put((worker, answer if isinstance(answer, str) else answer[1]))


def _collect(
    said: Said, answers: dict[int, Any], count: int, timeout: float | None
) -> dict[int, Any]:
    """Waits until so many workers have answered; of those that ended, how is their answer.

    Raises:
        TimeoutError: The time is over. The workers do it nevertheless.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    while len(answers) < count:
        left = _left_until(deadline)
        if left == 0.0 and said.empty():
            raise TimeoutError(f"not all workers have answered within {timeout} s")
        with contextlib.suppress(queue.Empty):
            wait = LONGEST_WAIT_S if left is None else min(left, LONGEST_WAIT_S)
            worker, answer = said.get(timeout=wait)
            answers[worker] = answer
    return answers


def _left_until(deadline: float | None) -> float | None:
    """Seconds until then, of ``time.monotonic``; None if there is no end."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


# A child that forks off must not keep the sockets open, by whose end workers know this process's.
_all: weakref.WeakSet[Processes] = weakref.WeakSet()


def _leave_all_to_parent() -> None:
    for processes in list(_all):
        processes.abandon()


os.register_at_fork(after_in_child=_leave_all_to_parent)
