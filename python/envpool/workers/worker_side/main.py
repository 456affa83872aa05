"""A worker process's main function."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from typing import Any, NamedTuple

import gymnasium

from envpool import _core
from envpool.workers.factories import Factory
from envpool.workers.letters import Letters, dumps_by_value
from envpool.workers.worker_side.worker import Farewell, Made, Worker, ending_children

FAREWELL = b""  # tells a worker without a pool to close its environments
NUM_FILES = 3  # of a station
# What registers these is known everywhere.
_OWN = ("gymnasium.envs.", "envpool.")


class Surroundings(NamedTuple):
    """To be pickled.

    Attributes:
        path: Where modules are looked for.
        argv: What the program was called with, which some environments read.
        specs: What was registered with Gymnasium, pickled each.
    """

    path: list[str]
    argv: list[str]
    specs: list[bytes]

    @classmethod
    def here(cls) -> Surroundings:
        """Those of this process."""
        specs = []
        for spec in list(gymnasium.registry.values()):
            if isinstance(spec.entry_point, str) and spec.entry_point.startswith(_OWN):
                continue
            with contextlib.suppress(Exception):  # it will be missed by name, if it is missed
                specs.append(dumps_by_value(spec))
        return cls(sys.path, sys.argv, specs)

    def establish(self) -> None:
        """Makes them those of this process, but for the registry."""
        sys.path[:] = self.path
        sys.argv[:] = self.argv

    def register(self) -> None:
        """Adds what the registry lacks once the modules of factories are loaded.

        These register their own environments, and Gymnasium would warn of a second time.
        """
        for pickled in self.specs:
            with contextlib.suppress(Exception):
                spec: Any = pickle.loads(pickled)
                gymnasium.registry.setdefault(spec.id, spec)


class Job(NamedTuple):
    """The task of a new process.

    Attributes:
        worker: The number of the worker that it is.
        env_ids: The environments that it runs.
        factories: What makes them; bytes, if they are pickled.
        num_threads: How many of them run at the same time.
        surroundings: What it takes over from the process that started it.
    """

    worker: int
    env_ids: list[int]
    factories: Sequence[Factory] | bytes
    num_threads: int
    surroundings: Surroundings | None


def run(descriptor: int, lifeline: int) -> None:
    """Runs as the process that was started with the other ends of this socket and this pipe."""
    run_job(Connection(descriptor), Connection(lifeline, writable=False))


def run_job(connection: Connection, lifeline: Connection, job: Job | None = None) -> None:
    """Runs as a process that ends with the other end of the lifeline, at the latest.

    Args:
        connection: Leads to the process whose business is Ctrl-C.
        lifeline: Of a pipe into which that process writes nothing.
        job: What to do; None: that comes first.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _core.Station.end_with(lifeline.fileno())
    # What environments fork must not keep the socket open.
    os.register_at_fork(after_in_child=connection.close)
    with ending_children(), contextlib.suppress(EOFError, ConnectionResetError):
        _serve(connection, job or pickle.loads(connection.recv_bytes()))


def _serve(connection: Connection, job: Job) -> None:
    """Makes the environments, and runs them until the pool is closed."""
    letters = Letters()
    station = None
    try:
        worker = _make(job, letters)
        _tell(connection, worker.failed or _written(worker.made(), letters))
        if worker.failed:
            return
        setup = connection.recv_bytes()
        if setup != FAREWELL:
            files = [recv_handle(connection) for _ in range(NUM_FILES)]
            station = worker.make_station(letters.read(setup), files)
            for descriptor in files:
                os.close(descriptor)
    except BaseException as reason:  # factories or spaces do not unpickle, or spaces not pickle
        letter = letters.write_error(reason)
        _tell(connection, [(env_id, letter) for env_id in job.env_ids])
        return
    if station is not None:
        _serve_pool(connection, letters, worker, station, job.num_threads)
    _tell(connection, Farewell(worker.close()))


def _serve_pool(
    connection: Connection,
    letters: Letters,
    worker: Worker,
    station: _core.Station,
    num_threads: int,
) -> None:
    """Does what the pool asks for, until it is closed."""

    def serve() -> None:
        with ending_children():
            station.serve()

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(num_threads - 1)]
    for thread in threads:
        thread.start()
    _tell(connection, None)
    while station.serve():
        while connection.poll():
            request = connection.recv_bytes()
            if request != FAREWELL:
                station.set_answering(True)  # so that the pool does not take it for stuck
                try:
                    answer: Any = worker.answer(*letters.read(request))
                except BaseException as reason:  # it does not unpickle
                    answer = letters.write_error(reason)
                station.set_answering(False)
                _tell(connection, answer)
    station.set_answering(True)
    for thread in threads:
        thread.join()


def _make(job: Job, letters: Letters) -> Worker:
    """Makes the environments."""
    factories = job.factories
    if job.surroundings:
        job.surroundings.establish()
    if isinstance(factories, bytes):
        factories = pickle.loads(factories)
    if job.surroundings:
        job.surroundings.register()
    return Worker(job.worker, job.env_ids, factories, letters)


def _written(made: Made, letters: Letters) -> bytes:
    """As a letter, without what cannot be pickled and is not needed."""
    try:
        return letters.write(made)
    except BaseException:  # whatever it raises
        return letters.write(made._replace(spec=None, metadata={}))


def _tell(connection: Connection, content: Any) -> None:
    """Answers; whoever is gone need not know."""
    with contextlib.suppress(BaseException):  # environments may have made anything of it
        sys.stdout.flush()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.send_bytes(pickle.dumps(content))
