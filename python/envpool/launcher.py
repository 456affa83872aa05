"""Process: a process of Python that this one starts, by any of multiprocessing's start methods.

"spawn" is a new Python, "fork" a copy of this process, and "forkserver" a copy of the server that
multiprocessing keeps for that. None of them runs the main module again.
"""

from __future__ import annotations

import contextlib
import multiprocessing.connection
import multiprocessing.spawn
import multiprocessing.util
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import IO, Any, NamedTuple

_READING_S = 1.0  # how long another thread may take to read a status
UNKNOWN_STATUS = 256  # of a process that this program has waited for elsewhere; none has this one


class Process:
    """A process that runs a function, as the process that has started it sees it.

    Args:
        method: How it starts: "spawn", "forkserver" or "fork".
        function: What it runs; a function of a module unless it is forked off.
        files: The numbers of open files, which the function is called with. Their numbers in the
            new process may be others.
        variables: Changes of the environment variables, for "spawn".
        errors: The file that gets its standard error, for "spawn"; None: this process's.

    Attributes:
        pid: Its id.
        status: Its exit status, or the negative number of the signal that has ended it, or
            ``UNKNOWN_STATUS``; None as long as it is not known to have ended.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(
        self,
        method: str,
        function: Callable[..., None],
        files: Sequence[int] = (),
        *,
        variables: Mapping[str, str] | None = None,
        errors: IO[bytes] | None = None,
    ) -> None:
        self.status: int | None = None
        self._reaping = threading.RLock()  # a signal's handler may want to know, too
        self._end: Connection | None = None
        if method == "spawn":
            self.pid, self._read_status = _spawn(function, files, variables, errors)
        elif method == "fork":
            self.pid, self._read_status = _fork(_Task(function, files))
        else:
            self.pid, self._read_status = _ask_server(function, files)
        try:
            self._end = _watch_end(self.pid)
        except BaseException:
            os.kill(self.pid, signal.SIGKILL)
            self._read_status()
            raise

    @property
    def sentinel(self) -> int:
        """A file descriptor that is readable when it has ended; -1 after :meth:`close`."""
        return -1 if self._end is None else self._end.fileno()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for its end; returns True if it has ended.

        Args:
            timeout: Seconds to wait at most; None: without end.
        """
        if self.status is None and self._end is not None:
            if not multiprocessing.connection.wait([self._end], timeout):
                return False
            # A signal's handler may have interrupted who reads it, and wait for this thread.
            most = -1.0 if timeout is None else max(timeout, _READING_S)
            if not self._reaping.acquire(timeout=most):
                return False
            try:
                if self.status is None:
                    self.status = self._read_status()
            finally:
                self._reaping.release()
        return self.status is not None

    def kill(self) -> None:
        """Ends it at once."""
        if not self.wait(0):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Forgets a process that has ended, or is another process's."""
        if self._end is not None:
            self._end.close()
            self._end = None


def signal_name(number: int) -> str:
    """A signal's name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# Waits for the end of a process, and returns its status.
ReadStatus = Callable[[], int]


def _spawn(
    function: Callable[..., None],
    files: Sequence[int],
    variables: Mapping[str, str] | None,
    errors: IO[bytes] | None,
) -> tuple[int, ReadStatus]:
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from {function.__module__} import {function.__qualname__} as run; run(*{[*files]})"
    )
    flags = multiprocessing.util._args_from_interpreter_flags()  # type: ignore[attr-defined]
    process = subprocess.Popen(
        [multiprocessing.spawn.get_executable(), *flags, "-c", program],
        stdin=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=files,
        env=os.environ | dict(variables or {}),
    )
    process.returncode = 0  # because its end is not for this object to wait for
    return process.pid, lambda: _status_of_child(process.pid)


class _Task(NamedTuple):
    """The task of a process that is forked off; multiprocessing's fork server has it run.

    Attributes:
        function: What is called.
        files: With what; None: with the files that came with the task.
    """

    function: Callable[..., None]
    files: Sequence[int] | None = None

    def _bootstrap(self, parent_sentinel: int | None = None) -> int:
        """Runs it as multiprocessing does, from its hooks after forks to its exit functions."""
        files: Any = forkserver.get_inherited_fds() if self.files is None else self.files
        process: Any = multiprocessing.Process(target=self.function, args=files)
        status: int = process._bootstrap(parent_sentinel)
        return status


def _fork(task: _Task) -> tuple[int, ReadStatus]:
    multiprocessing.util._flush_std_streams()  # type: ignore[attr-defined]
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = task._bootstrap()
        finally:
            os._exit(status)
    return pid, lambda: _status_of_child(pid)


def _status_of_child(pid: int) -> int:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # the program ignores SIGCHLD, or waits for all of its children
        return UNKNOWN_STATUS


def _ask_server(function: Callable[..., None], files: Sequence[int]) -> tuple[int, ReadStatus]:
    told = multiprocessing.spawn.get_preparation_data("MainProcess")
    told = {key: value for key, value in told.items() if not key.startswith("init_main")}
    told["authkey"] = bytes(told["authkey"])  # which it would refuse to pickle
    from_server, to_child = forkserver.connect_to_new_process(list(files))
    answers = Connection(from_server, writable=False)
    with os.fdopen(to_child, "wb") as file:
        file.write(pickle.dumps(told) + pickle.dumps(_Task(function)))

    def read() -> int:
        try:
            with answers:
                return int(forkserver.read_signed(from_server))
        except (OSError, EOFError):  # the server was killed
            return 255

    return forkserver.read_signed(from_server), read


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
