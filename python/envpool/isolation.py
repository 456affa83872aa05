"""Functions in processes of their own, which may crash, hang or be killed."""

from __future__ import annotations

import contextlib
import os
import pickle
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

from envpool import launcher
from envpool.tasks.registry import registry

_MOST_LINES = 6  # of what a process wrote before it crashed
_STDOUT, _STDERR = 1, 2
_LONGEST_WAIT_S = 1e6  # that the system can be asked for


class ProcessEnded(Exception):  # noqa: N818 - it says how, and that is for the caller to judge
    """A process did not come to the end of its function; the message says why."""


def _pickled(job: Any) -> bytes:
    """A pickle that another process can read, also of classes that it cannot import."""
    with contextlib.suppress(Exception):
        pickled = pickle.dumps(job)
        if b"__main__" not in pickled:
            return pickled
    # Not before: the doctor looks at packages that may crash in processes of their own.
    import cloudpickle

    by_value: bytes = cloudpickle.dumps(job)
    return by_value


class Process:
    """A function that runs in a new Python process, which knows the tasks that this one knows.

    Args:
        function: A generator function of a module.
        arguments: What it gets; to be pickled.
        seconds: For how long it may run from one item to the next; the first one counts from the
            start of the process.
        variables: Changes of the environment variables.
    """

    def __init__(
        self,
        function: Callable[..., Iterator[Any]],
        *arguments: Any,
        seconds: float,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._seconds = seconds
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._items, items = Pipe(duplex=False)
        lifeline, self._lifeline = Pipe(duplex=False)
        with tempfile.TemporaryFile() as job, items, lifeline:
            tasks = {task_id: _pickled(task) for task_id, task in registry.tasks.items()}
            job.write(_pickled((tasks, _pickled((function, arguments)))))
            job.seek(0)
            self._process = launcher.Process(
                "spawn",
                serve,
                [job.fileno(), items.fileno(), lifeline.fileno()],
                variables=variables,
                errors=self._errors,
            )

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
        try:
            while (item := self._next()) is not None:
                yield item[0]
        finally:
            self._process.kill()
            self._process.wait()
            self._process.close()
            for file in (self._items, self._lifeline, self._errors):
                file.close()

    def _next(self) -> tuple[Any] | None:
        """The next item, or None after the last one."""
        seconds = min(self._seconds, _LONGEST_WAIT_S)
        ready = wait([self._items, self._process.sentinel], seconds)
        try:
            if self._items not in ready:
                raise EOFError
            kind, value = self._items.recv()
        except (EOFError, OSError):
            raise ProcessEnded(self._describe_end(is_late=not ready)) from None
        if kind == "error":
            error: BaseException = value
            raise error
        return (value,) if kind == "item" else None

    def _describe_end(self, is_late: bool) -> str:
        self._process.kill()
        self._process.wait()
        status = self._process.status or 0
        if is_late:
            how = f"did not end within {self._seconds:g} s, so its process was ended"
        elif status < 0:
            how = f"ended its process by {launcher.signal_name(-status)}"
        else:
            how = f"ended its process with exit status {status}"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").splitlines()
        last = "\n".join([line for line in lines if line.strip()][-_MOST_LINES:])
        return f"{how}; it wrote:\n{last}" if last else how


def _end_with(lifeline: int) -> None:
    """Waits until nobody holds the other end of the pipe any more, whatever hangs here."""
    os.read(lifeline, 1)
    os._exit(1)


def serve(job: int, items: int, lifeline: int) -> None:
    """Runs the function that a Process has written to a file, and tells what it yields.

    Args:
        job: The file.
        items: The end of a pipe that takes what is yielded.
        lifeline: The end of a pipe whose other end is closed when nobody waits any more.
    """
    # Not by the native core, which may be what crashes.
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    told = Connection(items, readable=False)
    os.dup2(_STDERR, _STDOUT)  # because what environments print may tell why they crash
    with os.fdopen(job, "rb") as file:
        tasks, content = pickle.load(file)
    for task_id, pickled in tasks.items():
        with contextlib.suppress(Exception):  # one that cannot be imported is unknown here
            registry.tasks[task_id] = pickle.loads(pickled)
    warnings.simplefilter("ignore")  # what matters is yielded
    try:
        function, arguments = pickle.loads(content)
        for item in function(*arguments):
            told.send(("item", item))
    except Exception as error:
        told.send(("error", error))
    else:
        told.send(("end", None))
