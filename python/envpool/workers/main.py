"""A worker process's main function."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import cloudpickle
import gymnasium

from envpool import _core
from envpool.workers.factories import Factory
from envpool.workers.letters import Letters
from envpool.workers.worker import FactoryError, Made, Setup, Worker

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
                specs.append(cloudpickle.dumps(spec))
        return cls(sys.path, sys.argv, specs)

    def establish(self) -> None:
        """Makes them those of this process."""
        sys.path[:] = self.path
        sys.argv[:] = self.argv
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


def run(descriptor: int) -> None:
    """Runs as the process that was started with the other end of this socket."""
    run_job(Connection(descriptor))


def run_job(connection: Connection, job: Job | None = None) -> None:
    """Runs as a process that ends with the other end of the connection, at the latest.

    Args:
        connection: Leads to the process whose business is Ctrl-C.
        job: What to do; None: that comes first.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    _core.Station.end_with(connection.fileno())
    # What environments fork must not keep the socket open.
    os.register_at_fork(after_in_child=connection.close)
    with contextlib.suppress(EOFError, ConnectionResetError):
        _serve(connection, job or pickle.loads(connection.recv_bytes()))


def _serve(connection: Connection, job: Job) -> None:
    """Makes the environments, and runs them until the pool is closed."""
    letters = Letters()
    if job.surroundings:
        job.surroundings.establish()
    worker = _make(connection, job, letters)
    if worker is None:
        return
    _tell(connection, letters.write(_portable(worker.made(), letters)))
    setup: Setup | None = letters.read(connection.recv_bytes())
    if setup is not None:  # otherwise the pool wants nothing any more
        _serve_pool(connection, letters, worker, setup, job.num_threads)
    _tell(connection, worker.close())


def _serve_pool(
    connection: Connection, letters: Letters, worker: Worker, setup: Setup, num_threads: int
) -> None:
    """Does what the pool asks for, until it is closed."""
    exchange, inbox, outbox = files = _receive_files(connection)
    station = worker.make_station(setup, (exchange, inbox, outbox))
    for descriptor in files:
        os.close(descriptor)
    threads = [threading.Thread(target=station.serve, daemon=True) for _ in range(num_threads - 1)]
    for thread in threads:
        thread.start()
    _tell(connection, None)
    while station.serve():
        while connection.poll():
            request = letters.read(connection.recv_bytes())
            if request is not None:
                _tell(connection, worker.answer(*request))
    for thread in threads:
        thread.join()


def _receive_files(connection: Connection) -> list[int]:
    with socket.socket(fileno=os.dup(connection.fileno())) as end:
        _, files, *_ = socket.recv_fds(end, 1, NUM_FILES)
    if len(files) < NUM_FILES:
        raise EOFError
    return files


def _make(connection: Connection, job: Job, letters: Letters) -> Worker | None:
    """Makes the environments, or tells why not."""
    try:
        factories = job.factories
        if isinstance(factories, bytes):
            factories = pickle.loads(factories)
        return Worker(job.worker, job.env_ids, factories, letters)
    except FactoryError as failure:
        env_id, error = failure.args
        failures = [(env_id, letters.write_error(error))]
    except BaseException as reason:  # the factories do not unpickle
        letter = letters.write_error(reason)
        failures = [(env_id, letter) for env_id in job.env_ids]
    _tell(connection, failures)
    return None


def _portable(made: Made, letters: Letters) -> Made:
    """Without what cannot be pickled and is not needed."""
    for value in (made.spec, made.metadata):
        try:
            letters.write(value)
        except Exception:
            return made._replace(spec=None, metadata={})
    return made


def _tell(connection: Connection, content: Any) -> None:
    """Answers; whoever is gone need not know."""
    sys.stdout.flush()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.send_bytes(pickle.dumps(content))
