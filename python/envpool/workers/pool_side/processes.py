"""Who runs the environments of a pool: Processes, or LocalWorkers, which does without."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import pickle
import queue
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import cloudpickle
import numpy as np

from envpool import _core
from envpool.errors import EnvironmentFailure
from envpool.machine import CoreTime
from envpool.workers.factories import Factory
from envpool.workers.letters import Letters, LocalLetters, Unread, raise_failures
from envpool.workers.options import PoolOptions
from envpool.workers.pool_side.process import LONGEST_WAIT_S, Said, WorkerEnded, WorkerProcess
from envpool.workers.signals import signals_held
from envpool.workers.worker_side.main import Job, Surroundings
from envpool.workers.worker_side.worker import (
    Answer,
    FactoryError,
    Failures,
    Farewell,
    Made,
    Setup,
    Worker,
)

_SILENCE_S = 5.0  # how long one that closes waits without a word
_LOOK_S = 0.05  # how often one that closes looks for workers that hang
_EXIT_S = 5.0  # how long a worker may take to exit once its environments are closed

# A method of Worker, and the environments with its arguments, for each worker that is asked.
Requests = Mapping[int, tuple[str, list[tuple[int, tuple[Any, ...]]]]]
# Waits so many seconds; None: without end. Gives each worker's answers, or how it ended.
WaitForAnswers = Callable[[float | None], Mapping[int, list[Answer] | Farewell | str]]
# The numbers of workers with an environment that hangs.
FindLate = Callable[[], list[int]]


class Workers:
    """The workers of a pool, which have made its environments.

    Attributes:
        made: What each worker said of its environments.
        letters: How the pool and its workers write to each other.
        worker_of: The worker of each environment.
    """

    made: list[Made]
    letters: Letters
    worker_of: Sequence[int]

    def connect(self, native: _core.SharedPool, setup: Setup) -> None:
        """Has the environments serve a pool."""
        raise NotImplementedError

    def restart(self, native: _core.SharedPool, setup: Setup, numbers: Sequence[int]) -> None:
        """Starts workers again that have ended; those in this process never do."""

    def core_times(self) -> list[CoreTime]:
        """How long each worker has had a core; nothing of those in this process."""
        return []

    def describe_end(self, number: int) -> str:
        """Says what became of a worker that ended."""
        return ""

    def end(
        self, timeout: float | None, terminate: bool = False, late: FindLate = list
    ) -> Failures:
        """Ends them all, after the native pool was closed. May be called again.

        Args:
            timeout: Seconds in which they may close their environments; those that take longer are
                killed.
            terminate: They are killed at once.
            late: Tells which of them have an environment that hangs; these are killed, too.

        Returns:
            The environments that failed to close.
        """
        raise NotImplementedError

    def start(self) -> None:
        """Makes the environments, and processes for them; :meth:`end` also if this fails.

        Raises:
            EnvironmentFailure: An environment was not made, or its factory cannot be pickled.
        """
        raise NotImplementedError

    def ask(
        self,
        native: _core.SharedPool,
        env_ids: Sequence[int],
        method: str,
        arguments: Iterable[tuple[Any, ...]],
    ) -> Callable[[float | None], list[Any]]:
        """Has workers do something, after all that they were asked to do before.

        Args:
            native: The pool that they serve.
            env_ids: The environments, none of which is in flight.
            method: A method of :class:`envpool.workers.worker_side.worker.Worker`.
            arguments: What it is called with, for each of the environments.

        Returns:
            What waits for the answers, for so many seconds at most, and returns or raises them.
        """
        own: dict[int, list[tuple[int, tuple[Any, ...]]]] = {}
        for env_id, its in zip(env_ids, arguments, strict=True):
            own.setdefault(self.worker_of[env_id], []).append((env_id, its))
        wait = self._ask(native, {worker: (method, each) for worker, each in own.items()})

        def read(timeout: float | None) -> list[Any]:
            values: dict[int, Any] = {}
            failures: list[tuple[int, bytes | str | Unread]] = []
            for worker, said in wait(timeout).items():
                ids = [env_id for env_id, _ in own[worker]]
                if isinstance(said, str | Farewell):
                    text = said if isinstance(said, str) else "the pool was closed"
                    failures += [(env_id, text) for env_id in ids]
                    continue
                for env_id, (is_value, letter) in zip(ids, said, strict=True):
                    why: bytes | Unread | None = letter
                    if is_value:
                        values[env_id], why = self.letters.try_to_read(letter)
                    if why is not None:
                        failures.append((env_id, why))
            if failures:
                raise_failures(self.letters, failures)
            return [values[env_id] for env_id in env_ids]

        return read

    def _ask(self, native: _core.SharedPool, requests: Requests) -> WaitForAnswers:
        raise NotImplementedError


class Processes(Workers):
    """The worker processes of a pool.

    Args:
        factories: What makes each environment.
        options: How they are run.
    """

    def __init__(self, factories: Sequence[Factory], options: PoolOptions) -> None:
        self.worker_of = options.workers()
        self.letters = Letters(by_value=options.start_method != "fork")
        self._env_ids: list[list[int]] = [[] for _ in range(max(self.worker_of) + 1)]
        for env_id, worker in enumerate(self.worker_of):
            self._env_ids[worker].append(env_id)
        self._factories = factories
        self._options = options
        self._processes: dict[int, WorkerProcess] = {}
        self._restarts = [0] * len(self._env_ids)
        self._ends: dict[int, str] = {}  # how workers that have no process have lost it
        self._has_ended = False
        self._owner = os.getpid()
        _all.add(self)

    def start(self) -> None:
        """See :meth:`Workers.start`."""
        self.made = self._start(range(len(self._env_ids)))

    def _start(self, numbers: Sequence[int]) -> list[Made]:
        """Starts workers and waits until their environments are made. All, or none."""
        made = []
        processes: dict[int, WorkerProcess] = {}
        failures: list[tuple[int, bytes | str | Unread]] = []
        with self._all_or_none(numbers):
            surroundings = None if self._options.start_method == "fork" else Surroundings.here()
            jobs = [self._job(number, surroundings) for number in numbers]
            for number, job in zip(numbers, jobs, strict=True):
                with signals_held():
                    process = WorkerProcess(job, self._options.start_method)
                    self._processes[number] = process
                    process.start()
                if self._has_ended:  # since another thread has closed the pool
                    process.end()
                    raise RuntimeError("the pool is closed")
                processes[number] = process
            for number, process in processes.items():
                try:
                    said = process.receive()
                except WorkerEnded as end:
                    text = f"{end} while it made its environments"
                    failures += [(env_id, text) for env_id in self._env_ids[number]]
                    continue
                if isinstance(said, list):
                    failures += said
                    continue
                facts, unread = self.letters.try_to_read(said)
                made.append(facts)
                if unread is not None:
                    failures += [(env_id, unread) for env_id in self._env_ids[number]]
            if failures:
                raise_failures(self.letters, failures)
        return made

    @contextlib.contextmanager
    def _all_or_none(self, numbers: Sequence[int]) -> Iterator[None]:
        """Ends these workers if what is done with them fails."""
        try:
            yield
        except BaseException:
            for number in numbers:
                self._drop(number)
            raise

    def _job(self, number: int, surroundings: Surroundings | None) -> Job:
        env_ids = self._env_ids[number]
        factories = [self._factories[env_id] for env_id in env_ids]
        num_threads = min(self._options.worker_threads, len(env_ids))
        given = factories if self._options.start_method == "fork" else _pickled(env_ids, factories)
        return Job(number, env_ids, given, num_threads, surroundings)

    def connect(
        self, native: _core.SharedPool, setup: Setup, numbers: Sequence[int] | None = None
    ) -> None:
        """Has workers serve a pool, and waits until they are ready.

        Args:
            native: The pool.
            setup: What they have to know of it.
            numbers: The workers; None: all of them.

        Raises:
            EnvironmentFailure: One has ended. None of them is left then.
        """
        numbers = range(len(self._env_ids)) if numbers is None else numbers
        processes = {number: self._processes[number] for number in numbers}
        with self._all_or_none(numbers):
            exchange, inbox, *outboxes = native.files
            for number, process in processes.items():
                process.send(self.letters.write(setup))
                process.send_files([exchange, inbox, outboxes[number]])
            for number, process in processes.items():
                try:
                    failures = process.receive()
                except WorkerEnded as end:
                    failures = [(env_id, str(end)) for env_id in self._env_ids[number]]
                if failures:
                    raise_failures(self.letters, failures)
            for number, process in processes.items():
                native.set_worker(number, process.pid, process.sentinel)

    def restart(self, native: _core.SharedPool, setup: Setup, numbers: Sequence[int]) -> None:
        """Starts new processes for workers that have ended.

        Their environments get other first seeds, so that what random numbers led to, perhaps the
        end of the process, does not come again.

        Raises:
            EnvironmentFailure: An environment was not made. None of them is started then.
        """
        seeds = list(setup.seeds)
        for number in numbers:
            self._drop(number)
            self._restarts[number] += 1
            for env_id in self._env_ids[number]:
                seeds[env_id] = _another_seed(seeds[env_id], self._restarts[number])
        self._start(numbers)
        for number in numbers:
            for env_id in self._env_ids[number]:
                native.note_made(env_id, seeds[env_id])
        self.connect(native, setup._replace(seeds=seeds), numbers)

    def core_times(self) -> list[CoreTime]:
        """See :meth:`Workers.core_times`."""
        processes = map(self._processes.get, range(len(self._env_ids)))
        return [process.core_time() if process else CoreTime() for process in processes]

    def describe_end(self, number: int) -> str:
        """See :meth:`Workers.describe_end`."""
        process = self._processes.get(number)
        if process is None:
            return self._ends.get(number, f"worker {number} was ended")
        return process.describe_end()

    def _drop(self, number: int) -> None:
        """Ends a worker, if there is one, and remembers how it ended if it was not by this."""
        process = self._processes.get(number)
        if process is not None:
            if process.sentinel >= 0 and not process.is_running:
                self._ends[number] = process.describe_end()
            process.end()
            self._processes.pop(number, None)

    def _ask(self, native: _core.SharedPool, requests: Requests) -> WaitForAnswers:
        letters: dict[tuple[int, ...], bytes] = {}

        def write(arguments: tuple[Any, ...]) -> bytes:
            """A letter for each environment; the same ones for many are written once."""
            key = tuple(map(id, arguments))
            if key not in letters:
                letters[key] = self.letters.write(arguments)
            return letters[key]

        messages = {
            worker: pickle.dumps((method, [(env_id, write(its)) for env_id, its in each]))
            for worker, (method, each) in requests.items()
        }
        said: Said = queue.SimpleQueue()
        for worker, message in messages.items():
            process = self._processes.get(worker)
            if process is None:
                said.put((worker, self.describe_end(worker)))
            else:
                process.ask(message, functools.partial(native.ring_for_control, worker), said)
        answers: dict[int, list[Answer] | Farewell | str] = {}

        def wait(timeout: float | None) -> Mapping[int, list[Answer] | Farewell | str]:
            if not _collect(said, answers, len(messages), timeout):
                raise TimeoutError(f"not all workers have answered within {timeout} s")
            return answers

        return wait

    def end(
        self, timeout: float | None, terminate: bool = False, late: FindLate = list
    ) -> Failures:
        """See :meth:`Workers.end`."""
        if os.getpid() != self._owner:
            return []
        deadline = None if timeout is None else time.monotonic() + timeout
        self._has_ended = True
        try:
            return [] if terminate else self._close_environments(deadline, late)
        finally:
            with signals_held():
                for process in list(self._processes.values()):
                    process.kill()
                for number, process in list(self._processes.items()):
                    process.end()
                    self._processes.pop(number, None)

    def _close_environments(self, deadline: float | None, late: FindLate) -> Failures:
        """Waits until all have closed their environments, and exited."""
        failures: Failures = []
        said: Said = queue.SimpleQueue()
        processes = list(self._processes.values())
        for process in processes:
            farewell = b""  # for those that have no pool yet, which could tell them
            process.ask(farewell, lambda: None, said)
        closed: dict[int, Any] = {}
        telling = time.monotonic() + _SILENCE_S
        while _left_until(deadline) != 0.0:
            soon = time.monotonic() + _LOOK_S
            soon = soon if deadline is None else min(soon, deadline)
            if _collect(said, closed, len(processes), _left_until(soon)):
                break
            for number in late():
                self._processes[number].kill()
            if deadline is None and time.monotonic() > telling:
                telling = math.inf
                self._tell_who_closes(closed)
        for answer in closed.values():
            failures += answer.failures if isinstance(answer, Farewell) else []
        last = time.monotonic() + _EXIT_S
        for process in processes:
            process.await_end(last if deadline is None else min(last, deadline))
        return failures

    def _tell_who_closes(self, closed: Mapping[int, Any]) -> None:
        """Warns that environments have not closed yet."""
        ids = [
            env_id
            for number in set(self._processes) - set(closed)
            for env_id in self._env_ids[number]
        ]
        warnings.warn(
            f"close() waits for environments that still run or close, among {sorted(ids)}: "
            "close(timeout=...) ends their processes after so many seconds, close(terminate=True) "
            "at once",
            RuntimeWarning,
            stacklevel=2,
        )

    def abandon(self) -> None:
        """In a forked child: they are the parent's."""
        for process in list(self._processes.values()):
            process.abandon()
        self._processes = {}


class LocalWorkers(Workers):
    """One worker that has all environments, in this process.

    Args:
        factories: What makes each environment.

    Attributes:
        worker: The worker, once it has started.
    """

    def __init__(self, factories: Sequence[Factory]) -> None:
        self.worker_of = [0] * len(factories)
        self.letters = LocalLetters()
        self._factories = factories
        self._owner = os.getpid()
        self.worker: Worker

    def start(self) -> None:
        """See :meth:`Workers.start`."""
        ids = range(len(self._factories))
        try:
            self.worker = Worker(0, ids, self._factories, self.letters, in_process=True)
        except FactoryError as failure:
            env_id, error = failure.args
            if not isinstance(error, Exception):
                raise error from None  # as Ctrl-C: it is this process that it would end
            raise_failures(self.letters, [(env_id, self.letters.write_error(error))])
        self.made = [self.worker.made()]

    def connect(self, native: _core.SharedPool, setup: Setup) -> None:
        """See :meth:`Workers.connect`."""
        exchange, inbox, outbox = native.files
        native.set_station(self.worker.make_station(setup, (exchange, inbox, outbox)))

    def _ask(self, native: _core.SharedPool, requests: Requests) -> WaitForAnswers:
        answers = {worker: self.worker.answer(*request) for worker, request in requests.items()}
        return lambda timeout: answers

    def end(
        self, timeout: float | None, terminate: bool = False, late: FindLate = list
    ) -> Failures:
        """Closes the environments; tells which of them failed to.

        A child that was forked leaves them to its parent.
        """
        has_started = hasattr(self, "worker") and os.getpid() == self._owner
        return self.worker.close() if has_started else []


def _another_seed(seed: int | None, restarts: int) -> int | None:
    """An environment's first seed after so many restarts, if it has one: any of 31 bits."""
    if seed is None:
        return None
    return int(np.random.SeedSequence([seed, restarts]).generate_state(1)[0]) >> 1


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


def _collect(said: Said, answers: dict[int, Any], count: int, timeout: float | None) -> bool:
    """Waits until so many workers have answered; of those that ended, how is their answer.

    Returns:
        False if the time is over. The workers do it nevertheless.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    while len(answers) < count:
        left = _left_until(deadline)
        if left == 0.0 and said.empty():
            return False
        try:
            worker, answer = said.get(timeout=min(left or LONGEST_WAIT_S, LONGEST_WAIT_S))
            answers[worker] = answer
        except queue.Empty as error:
            if error.__traceback__ and error.__traceback__.tb_next:  # a signal's handler raised it
                raise
    return True


def _left_until(deadline: float | None) -> float | None:
    """Seconds until then, of ``time.monotonic``; None if there is no end."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


# A child that forks off must not keep the sockets open, by whose end workers know this process's.
_all: weakref.WeakSet[Processes] = weakref.WeakSet()


def _leave_all_to_parent() -> None:
    for processes in list(_all):
        processes.abandon()


os.register_at_fork(after_in_child=_leave_all_to_parent)
