"""WorkerProcess: a process that runs environments, as seen by the one that started it."""

from __future__ import annotations

import contextlib
import io
import multiprocessing.connection
import multiprocessing.process
import multiprocessing.resource_tracker
import multiprocessing.spawn
import multiprocessing.util
import os
import pickle
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import forkserver, popen_forkserver, reduction
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess, ForkServerProcess, set_spawning_popen
from typing import Any

from envpool.machine import CoreTime, queued_seconds
from envpool.workers.signals import signals_held
from envpool.workers.worker_side import main

LONGEST_WAIT_S = 0.1
"""Python may begin to wait just after Ctrl-C came, if another thread ran; then nothing wakes it."""
_CPU_CLOCK = 2
_STDERR = 2
_REAPING_S = 1.0  # how long it may take after the end of a process until its status is known


class WorkerEnded(Exception):  # noqa: N818 - whoever waits decides what it means
    """The process ended instead of answering."""


class _Spawned(subprocess.Popen[bytes]):
    """With the methods of multiprocessing's processes."""

    @property
    def exitcode(self) -> int | None:
        return self.poll()

    def join(self, timeout: float | None = None) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(timeout)


class _Served(popen_forkserver.Popen):
    """A process of multiprocessing's fork server that does not run the main module again."""

    def _launch(self, process_obj: Any) -> None:
        told = multiprocessing.spawn.get_preparation_data(process_obj.name)
        told = {key: value for key, value in told.items() if not key.startswith("init_main")}
        message = io.BytesIO()
        set_spawning_popen(self)
        try:
            reduction.dump(told, message)
            reduction.dump(process_obj, message)
        finally:
            set_spawning_popen(None)
        files: list[int] = self._fds  # type: ignore[attr-defined]
        self.sentinel, to_child = forkserver.connect_to_new_process(files)
        # By its copy of the end that is written to, the child knows whether this process is there.
        ends = os.dup(to_child), self.sentinel
        close = multiprocessing.util.close_fds  # type: ignore[attr-defined]
        self.finalizer = multiprocessing.util.Finalize(self, close, ends)
        with os.fdopen(to_child, "wb") as file:
            file.write(message.getbuffer())
        self.pid = forkserver.read_signed(self.sentinel)


class _ServedProcess(ForkServerProcess):
    @staticmethod
    def _Popen(process_obj: Any) -> _Served:  # noqa: N802 - multiprocessing's name
        return _Served(process_obj)


# Numbers of workers, with what they said; or with a text: how they ended.
Said = queue.SimpleQueue[tuple[int, Any]]
Question = tuple[bytes, Callable[[], None], Said]


class WorkerProcess:
    """A process and the socket to it.

    Args:
        job: What it is to do; for "spawn" its factories are pickled.
        method: How it starts: "spawn", "fork" or "forkserver".

    Attributes:
        pid: The process's id, once it has started.
    """

    def __init__(self, job: main.Job, method: str) -> None:
        self._name = f"worker {job.worker}"
        self._sentinel: Connection | None = None
        self._questions: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
        self._talker: threading.Thread | None = None
        self._has_ended = False  # then nobody answers questions
        self._asking = threading.RLock()
        self._ending = threading.Lock()
        self._ours, self._theirs = _pipe(duplex=True)
        self._their_lifeline, self._lifeline = _pipe(duplex=False)
        self._process: Any = None
        self._job = job
        self._method = method

    def start(self) -> None:
        """Starts it. It works on its own then, and answers when asked for it."""
        with signals_held(), _without_mpi():
            self._process = self._spawn() if self._method == "spawn" else self._fork()
            self._theirs.close()
            self._their_lifeline.close()
            self.pid: int = self._process.pid
            self._sentinel = _watch_end(self.pid)
        if self._method == "spawn":
            self.send(pickle.dumps(self._job))

    def _fork(self) -> Any:
        arguments = (self._theirs, self._their_lifeline, self._job)
        kind: Any = ForkProcess if self._method == "fork" else _ServedProcess
        process = kind(target=main.run_job, args=arguments, name=self._name)
        process.start()
        # Its end is our business: multiprocessing would wait for it at the exit, and in children
        # that fork off as well, whose process it is not. And its daemons may have no children.
        multiprocessing.process._children.discard(process)  # type: ignore[attr-defined]
        return process

    def _spawn(self) -> _Spawned:
        descriptors = self._theirs.fileno(), self._their_lifeline.fileno()
        program = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from envpool.workers.worker_side.main import run; run{descriptors}"
        )
        flags = multiprocessing.util._args_from_interpreter_flags()  # type: ignore[attr-defined]
        executable = multiprocessing.spawn.get_executable()
        return _Spawned(
            [executable, *flags, "-c", program], stdin=subprocess.DEVNULL, pass_fds=descriptors
        )

    @property
    def sentinel(self) -> int:
        """A file descriptor that is readable when it has ended; -1 before it has started."""
        return -1 if self._sentinel is None else self._sentinel.fileno()

    @property
    def is_running(self) -> bool:
        """Has it been started, and not ended yet?"""
        return self._process is not None and self._process.exitcode is None

    def core_time(self) -> CoreTime:
        """How long it has had a core; nothing if it has ended."""
        if not self.is_running:
            return CoreTime()
        clock = ~self.pid << 3 | _CPU_CLOCK  # as clock_getcpuclockid() makes it
        try:
            return CoreTime(self.pid, time.clock_gettime(clock), queued_seconds(self.pid))
        except OSError:
            return CoreTime()

    def send(self, message: bytes) -> None:
        """Sends it something; if it has ended, whoever waits for an answer will know."""
        try:
            self._ours.send_bytes(message)
        except OSError as error:
            if error.errno is None and not self._ours.closed:  # a signal's handler has raised it
                raise

    def ask(self, message: bytes, then: Callable[[], None], said: Said) -> None:
        """Asks it something, after all that it was asked before, and returns at once.

        A thread talks to it, because half a message would be the end of all others: signals
        interrupt the main thread, and whoever waits for an answer may go away.

        Args:
            message: What to send.
            then: Is called when it was sent.
            said: Gets what it says; of one that has ended, how.
        """
        with self._asking:
            if self._has_ended:
                said.put((self._job.worker, self.describe_end()))
                return
            self._questions.put((message, then, said))
            if self._talker is None:
                with signals_held():
                    talker = threading.Thread(target=self._talk, daemon=True)
                    talker.start()
                    self._talker = talker

    def _talk(self) -> None:
        while (question := self._questions.get()) is not None:
            message, then, said = question
            try:
                self.send(message)
                then()
                said.put((self._job.worker, self.receive()))
            except WorkerEnded as end:
                said.put((self._job.worker, str(end)))
            except Exception as error:  # an environment has written to the socket
                self.kill()
                who = f"{self._name} (pid {self.pid})"
                said.put((self._job.worker, f"{who} was ended, because it answers with: {error}"))

    def send_files(self, files: list[int]) -> None:
        """Sends it open files."""
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            with signals_held():  # what a handler raises would leave a copy that nobody closes
                copied = socket.socket(fileno=os.dup(self._ours.fileno()))
                end = stack.enter_context(copied)
            socket.send_fds(end, [b"f"], files)

    def receive(self) -> Any:
        """Waits for the next thing that it has to say.

        Raises:
            WorkerEnded: It has ended; the message says how.
        """
        if self._ours.closed:
            raise WorkerEnded(self.describe_end())
        ends: list[Any] = [self._ours, self.sentinel]
        while not (ready := multiprocessing.connection.wait(ends, LONGEST_WAIT_S)):
            pass
        if self._ours in ready:
            try:
                return pickle.loads(self._ours.recv_bytes())
            except (EOFError, ConnectionResetError):
                pass
            except OSError:
                if not self._ours.closed:  # by another thread, which has ended it
                    raise
        raise WorkerEnded(self.describe_end())

    def describe_end(self) -> str:
        """How it has ended, in words."""
        who = f"{self._name} (pid {self.pid})"
        self._process.join(_REAPING_S)
        status = self._process.exitcode
        if status is None:
            return f"{who} has closed its socket"
        if status >= 0:
            return f"{who} exited with status {status}"
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        hint = ", perhaps for want of memory" if -status == signal.SIGKILL else ""
        return f"{who} was killed by {name}{hint}"

    def await_end(self, deadline: float) -> None:
        """Waits until it has ended, or the deadline, of ``time.monotonic``."""
        if self._process is not None:
            self._process.join(max(0.0, deadline - time.monotonic()))

    def kill(self) -> None:
        """Ends it at once."""
        if self.is_running:
            self._process.kill()

    def end(self) -> None:
        """Ends it at once, and forgets it. May be called again, and by several threads."""
        with signals_held(), self._ending:
            self.kill()
            if self._process is not None:
                self._process.join()
                # multiprocessing closes its files in a collection, if no handler raises there.
                popen = getattr(self._process, "_popen", None)
                if popen is not None:
                    popen.close()
            with self._asking:
                self._has_ended = True
                self._questions.put(None)
            if self._talker is not None:
                self._talker.join()  # it has seen that the process ended
            self._theirs.close()
            self._their_lifeline.close()
            self.abandon()

    def abandon(self) -> None:
        """Closes what tells of its end, and by what it is told of ours."""
        self._ours.close()
        self._lifeline.close()
        if self._sentinel is not None:
            self._sentinel.close()
            self._sentinel = None


def _watch_end(pid: int) -> Connection:
    """A file that is readable once this process has ended; nothing can be read from it."""
    if sys.platform == "linux":
        return Connection(os.pidfd_open(pid), writable=False)
    with contextlib.closing(select.kqueue()) as events:
        ended = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
        try:
            events.control([ended], 0)
        except ProcessLookupError:  # it has ended already: a timer that is over says so
            events.control([select.kevent(pid, select.KQ_FILTER_TIMER, data=1)], 0)
        return Connection(os.dup(events.fileno()), writable=False)


def _pipe(duplex: bool) -> tuple[Connection, Connection]:
    """Connected ends, none of which takes the place of a standard stream that is closed."""
    ends = multiprocessing.Pipe(duplex)
    # The lower numbers are taken until this returns.
    return ends if min(end.fileno() for end in ends) > _STDERR else _pipe(duplex)


@contextlib.contextmanager
def _without_mpi() -> Iterator[None]:
    """Without the variables that let MPI take a new process for one of its own."""
    names = [name for name in os.environ if name.startswith(("OMPI_", "PMI_"))]
    removed = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(removed)


def _leave_fork_server_to_parent() -> None:
    """In a forked child: the parent's fork server is not its child, and locks may be held."""
    server: Any = forkserver._forkserver
    if server._forkserver_alive_fd is not None:
        os.close(server._forkserver_alive_fd)
    server._forkserver_address = server._forkserver_alive_fd = server._forkserver_pid = None
    tracker: Any = multiprocessing.resource_tracker._resource_tracker
    for lock in (server._lock, tracker._lock):
        lock._at_fork_reinit()


os.register_at_fork(after_in_child=_leave_fork_server_to_parent)
