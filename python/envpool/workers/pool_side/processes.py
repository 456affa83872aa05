"""Processes: the worker processes of a pool, from their start to their end."""

from __future__ import annotations

import contextlib
import functools
import math
import queue
import threading
import time
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from envpool import _core
from envpool.errors import EnvironmentFailure
from envpool.workers.factories import Factory
from envpool.workers.letters import Failures, Letters, dumps_by_value, raise_failures
from envpool.workers.options import PoolOptions
from envpool.workers.pool_side.process import Answers, Question, WorkerProcess, ctrl_c_waits
from envpool.workers.pool_side.workers import FindLate, Requests, Said, WaitForAnswers, Workers
from envpool.workers.worker_side.main import FAREWELL, Job, Surroundings
from envpool.workers.worker_side.worker import Farewell, Made, Setup

_ATTEMPTS = 3  # to start a worker again whose environments are to go on
_SILENCE_S = 5.0  # how long one that closes waits without a word
_LOOK_S = 0.05  # how often one that closes looks for workers that hang
_EXIT_S = 5.0  # how long a worker may take to exit once its environments are closed
# Python may begin to wait just after Ctrl-C came, if another thread ran; then nothing wakes it.
_LONGEST_WAIT_S = 0.1


class Processes(Workers):
    """The worker processes of a pool.

    A process that starts is one of :attr:`processes` only when it serves the pool. Until then the
    last one of its worker, which has ended, answers for it.

    Args:
        factories: What makes each environment.
        options: How they are run.

    Attributes:
        processes: The last one of each worker, by the worker's number.
    """

    def __init__(self, factories: Sequence[Factory], options: PoolOptions) -> None:
        self.worker_of = options.workers()
        self.letters = Letters(by_value=options.start_method != "fork")
        self.processes: dict[int, WorkerProcess] = {}
        self._starting: list[WorkerProcess] = []
        self._is_closed = False
        # Who changes these three; a signal's handler may interrupt that, and close the pool.
        self._changing = threading.RLock()
        self._alone = threading.RLock()  # who starts workers again
        self._starts = [0] * (max(self.worker_of) + 1)  # how often each worker has begun
        self._factories = factories
        self._options = options
        self._setup: Setup  # of the pool that they serve

    def start(self) -> None:
        """See :meth:`Workers.start`."""
        with self._all_or_none():
            self.made = self._begin(range(len(self._starts)))

    @contextlib.contextmanager
    def _all_or_none(self) -> Iterator[None]:
        """Ends all processes that start if one of them fails, or something else does."""
        try:
            yield
        except BaseException:
            with self._changing:
                processes, self._starting = self._starting, []
            for process in processes:
                process.end()
            raise

    def _require_open(self) -> None:
        if self._is_closed:
            raise RuntimeError("the pool is closed")

    def _begin(self, numbers: Sequence[int]) -> list[Made]:
        """Starts processes for workers and waits until their environments are made."""
        method = self._options.start_method
        surroundings = None if method == "fork" else Surroundings.here()
        answers: Answers = queue.SimpleQueue()
        for job in [self._job(number, surroundings) for number in numbers]:
            self._starts[job.worker] += 1
            with self._changing, ctrl_c_waits():
                self._require_open()
                self._starting.append(WorkerProcess(job, method, answers))
        for process in self._starting:
            process.start_talking()
        said = self._results(answers, " while it made its environments")
        return [self.letters.read(said[process.number]) for process in self._starting]

    def _results(self, answers: Answers, during: str = "") -> dict[int, Any]:
        """Waits for what each of the processes that start says.

        Args:
            answers: Gets what they say.
            during: What says when one has ended.

        Raises:
            EnvironmentFailure: Environments have failed, or the process of some has ended.
            RuntimeError: The pool was closed.
        """
        said: dict[int, Any] = {}
        _collect(answers, said, len(self._starting), None)
        self._require_open()
        failures: Failures = []
        for process in self._starting:
            match said[process.number]:
                case str(end):
                    failures += [(env_id, f"{end}{during}") for env_id in process.env_ids]
                case list(its):
                    failures += its
        if failures:
            raise_failures(self.letters, failures)
        return said

    def _job(self, number: int, surroundings: Surroundings | None) -> Job:
        env_ids = [env_id for env_id, worker in enumerate(self.worker_of) if worker == number]
        factories = [self._factories[env_id] for env_id in env_ids]
        num_threads = min(self._options.worker_threads, len(factories))
        is_forked = self._options.start_method == "fork"
        given = factories if is_forked else _pickled(env_ids, factories)
        return Job(number, env_ids, given, num_threads, surroundings)

    def connect(self, native: _core.ProcessPool, setup: Setup) -> None:
        """See :meth:`Workers.connect`."""
        self._setup = setup
        with self._all_or_none():
            self._connect(native, setup)
        native.set_restart(functools.partial(self._go_on, weakref.ref(native)))

    def _connect(self, native: _core.ProcessPool, setup: Setup) -> None:
        """Has the processes that start serve the pool."""
        exchange, inbox, *outboxes = native.files
        message = self.letters.write(setup)
        answers: Answers = queue.SimpleQueue()
        for process in self._starting:
            files = [exchange, inbox, outboxes[process.number]]
            process.ask(Question(message, functools.partial(process.send_files, files)), answers)
        self._results(answers)
        with self._changing:
            self._require_open()
            started, self._starting = self._starting, []
            self.processes |= {process.number: process for process in started}
        for process in started:
            native.set_worker(process.number, process.pid, process.sentinel)

    def before_reset(self, native: _core.ProcessPool, env_id: ArrayLike | None) -> None:
        """See :meth:`Workers.before_reset`."""
        super().before_reset(native, env_id)
        if not native.lost_workers(env_id):
            return
        with self._alone:
            lost = native.lost_workers(env_id)
            if lost and self._starting:
                raise RuntimeError("the call that this signal handler interrupts starts workers")
            if lost:
                self._restart(native, lost)

    def _go_on(self, pool: weakref.ref[_core.ProcessPool], number: int) -> str:
        """Restarts a worker whose environments are to go on; the native pool calls this.

        Returns:
            Why it cannot be started; nothing if it was.
        """
        native = pool()
        assert native is not None  # it is the caller
        with self._alone:
            if self._starting or number not in native.awaiting_restart():
                return ""  # because another call does it, or has done it
            for _ in range(_ATTEMPTS):
                try:
                    self._restart(native, [number])
                    return ""
                except EnvironmentFailure as failure:
                    why = failure.messages[0]
                    warnings.warn(
                        f"worker {number} has ended, and starting it again has failed: {why}",
                        RuntimeWarning,
                        stacklevel=2,
                    )
        return f"its worker has ended, and starting it again has failed {_ATTEMPTS} times: {why}"

    def _restart(self, native: _core.ProcessPool, numbers: Sequence[int]) -> None:
        """Starts new processes for workers that have ended.

        Their environments get other first seeds, so that what random numbers led to, perhaps the
        end of the process, does not come again.

        Raises:
            EnvironmentFailure: An environment was not made, or a process cannot be started. None of
                them is started then.
            RuntimeError: The pool was closed.
        """
        seeds = list(self._setup.seeds)
        ended = [self.processes[number] for number in numbers]
        for process in ended:
            process.end()
            for env_id in process.env_ids:
                seeds[env_id] = _another_seed(seeds[env_id], self._starts[process.number])
        try:
            with self._all_or_none():
                self._begin(numbers)
                self._connect(native, self._setup._replace(seeds=seeds))
        except OSError as error:
            why = f"its worker cannot be started: {error}", error
            ids = [env_id for process in ended for env_id in process.env_ids]
            raise_failures(self.letters, [(env_id, why) for env_id in ids])

    def describe_end(self, number: int) -> str:
        """See :meth:`Workers.describe_end`."""
        return self.processes[number].describe_end()

    def _ask(self, native: _core.ProcessPool, requests: Requests) -> WaitForAnswers:
        # What several environments are sent is written once for each worker, where they share it.
        messages = {worker: self.letters.write(request) for worker, request in requests.items()}
        answers: Answers = queue.SimpleQueue()
        self._require_open()
        for worker, message in messages.items():
            ring = functools.partial(native.ring_for_control, worker)
            self.processes[worker].ask(Question(message, ring), answers)
        said: dict[int, Said] = {}

        def wait(timeout: float | None) -> Mapping[int, Said]:
            if not _collect(answers, said, len(messages), timeout):
                raise TimeoutError(f"not all workers have answered within {timeout} s")
            return said

        return wait

    def end(
        self, timeout: float | None, terminate: bool = False, late: FindLate = list
    ) -> Failures:
        """See :meth:`Workers.end`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        with self._changing:
            self._is_closed = True
            starting = {process.number: process for process in self._starting}
            processes = self.processes | starting
        try:
            return [] if terminate else self._close_environments(processes, deadline, late)
        finally:
            for process in processes.values():
                process.kill()
            for process in processes.values():
                process.end()

    def _close_environments(
        self, processes: Mapping[int, WorkerProcess], deadline: float | None, late: FindLate
    ) -> Failures:
        """Waits until all have closed their environments, and exited."""
        answers: Answers = queue.SimpleQueue()
        for process in processes.values():
            process.ask(Question(FAREWELL), answers)
        closed: dict[int, Any] = {}
        telling = time.monotonic() + _SILENCE_S
        while _left_until(deadline) != 0.0:
            soon = time.monotonic() + _LOOK_S
            soon = soon if deadline is None else min(soon, deadline)
            if _collect(answers, closed, len(processes), _left_until(soon)):
                break
            for number in late():
                processes[number].kill()
            if deadline is None and time.monotonic() > telling:
                telling = math.inf
                _tell_who_closes(its for number, its in processes.items() if number not in closed)
        last = time.monotonic() + _EXIT_S
        for process in processes.values():
            process.wait(_left_until(last if deadline is None else min(last, deadline)))
        farewells = [answer for answer in closed.values() if isinstance(answer, Farewell)]
        return [failure for farewell in farewells for failure in farewell.failures]


def _tell_who_closes(processes: Iterable[WorkerProcess]) -> None:
    """Warns that environments of these workers have not closed yet."""
    ids = [env_id for process in processes for env_id in process.env_ids]
    warnings.warn(
        f"close() waits for environments that still run or close, among {sorted(ids)}: "
        "close(timeout=...) ends their processes after so many seconds, close(terminate=True) "
        "at once",
        RuntimeWarning,
        stacklevel=2,
    )


def _another_seed(seed: int | None, restarts: int) -> int | None:
    """An environment's first seed after so many restarts, if it has one: any of 31 bits."""
    if seed is None:
        return None
    return int(np.random.SeedSequence([seed, restarts]).generate_state(1)[0]) >> 1


def _pickled(env_ids: Sequence[int], factories: Sequence[Factory]) -> bytes:
    """The factories of a worker, which may share what they refer to."""
    try:
        return dumps_by_value(factories)
    except Exception as error:
        text = f"the factories of its worker cannot be pickled: {error}"
        raise EnvironmentFailure([(i, text) for i in env_ids], None, "") from error


def _collect(answers: Answers, said: dict[int, Any], count: int, timeout: float | None) -> bool:
    """Waits until so many workers have answered; of those that ended, how is their answer.

    Returns:
        False if the time is over. The workers do it nevertheless.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    while len(said) < count:
        left = _left_until(deadline)
        if left == 0.0 and answers.empty():
            return False
        with contextlib.suppress(queue.Empty):
            worker, answer = answers.get(timeout=min(left or _LONGEST_WAIT_S, _LONGEST_WAIT_S))
            said[worker] = answer
    return True


def _left_until(deadline: float | None) -> float | None:
    """Seconds until then, of ``time.monotonic``; None if there is no end."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())
