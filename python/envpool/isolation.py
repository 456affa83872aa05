"""Functions in processes of their own, which may crash, hang or be killed."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from envpool.tasks.registration import registry

_SERVE = "from envpool.isolation import serve; serve()"
_MOST_LINES = 6  # of what a process wrote before it crashed


class ProcessEnded(Exception):  # noqa: N818 - it says how, and that is for the caller to judge
    """A process did not come to the end of its function; the message says why."""


class Process:
    """A function that runs in a new Python process, which knows the tasks that this one knows.

    Args:
        function: A generator function of a module.
        arguments: What it gets; to be pickled.
        seconds: For how long it may run from one item to the next, or not take its arguments.
        variables: Changes of the environment variables.
        dumps: What pickles them; that of cloudpickle knows classes of the main module.
    """

    def __init__(
        self,
        function: Callable[..., Iterator[Any]],
        *arguments: Any,
        seconds: float,
        variables: Mapping[str, str] | None = None,
        dumps: Callable[[Any], bytes] = pickle.dumps,
    ) -> None:
        self._seconds = seconds
        self._is_late = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | dict(variables or {}),
        )
        self._job = pickle.dumps((sys.path, registry.tasks, dumps((function, arguments))))

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def kill(self) -> None:
        """Ends the process, if it still runs; whoever iterates gets a ProcessEnded."""
        self._process.kill()

    def __iter__(self) -> Iterator[Any]:
        """Yields what the function yields, and raises what it raises.

        Raises:
            ProcessEnded: The process crashed, or took too long.
        """
        assert self._process.stdin
        assert self._process.stdout
        try:
            with self._time_limit(), contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(self._job)
                self._process.stdin.flush()
            while (item := self._next(self._process.stdout)) is not None:
                yield item[0]
        finally:
            self._process.kill()
            self._process.wait()
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process.stdout.close()
            self._errors.close()

    def _next(self, pipe: IO[bytes]) -> tuple[Any] | None:
        """The next item, or None after the last one."""
        try:
            with self._time_limit():
                kind, value = pickle.load(pipe)
        except (EOFError, pickle.UnpicklingError):
            raise ProcessEnded(self._how_it_ended()) from None
        if kind == "error":
            raise value
        return (value,) if kind == "item" else None

    @contextlib.contextmanager
    def _time_limit(self) -> Iterator[None]:
        """Ends the process if what is done within takes too long."""
        timer = threading.Timer(self._seconds, self._end_late_process)
        timer.daemon = True  # Ctrl-C may come while it starts: nothing is to wait for it then
        try:
            timer.start()
            yield
        finally:
            timer.cancel()

    def _end_late_process(self) -> None:
        self._is_late = True
        self._process.kill()

    def _how_it_ended(self) -> str:
        status = self._process.wait()
        if self._is_late:
            how = f"did not end within {self._seconds:g} s, so its process was ended"
        elif status < 0:
            how = f"ended its process by {signal.Signals(-status).name}"
        else:
            how = f"ended its process with exit status {status}"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").splitlines()
        last = "\n".join([line for line in lines if line.strip()][-_MOST_LINES:])
        return f"{how}; it wrote:\n{last}" if last else how


def _end_with_parent() -> None:
    """Waits until nobody holds the other end of standard input any more, whatever hangs here."""
    os.read(0, 1)
    os._exit(1)


def serve() -> None:
    """Runs the function that a Process writes to standard input; writes what it yields."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what an environment prints must not come between
    paths, tasks, job = pickle.load(sys.stdin.buffer)
    sys.path[:] = paths
    registry.tasks |= tasks
    warnings.simplefilter("ignore")  # what matters is yielded
    threading.Thread(target=_end_with_parent, daemon=True).start()

    def put(kind: str, value: Any) -> None:
        pipe.write(pickle.dumps((kind, value)))
        pipe.flush()

    try:
        function, arguments = pickle.loads(job)
        for item in function(*arguments):
            put("item", item)
    except Exception as error:
        put("error", error)
    else:
        put("end", None)
