"""A worker process as `run.py` sees it."""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import IO, Any

SCRIPT = Path(__file__).with_name("worker.py")
REPLY_SECONDS = 120.0
EXIT_SECONDS = 5.0


class WorkerError(Exception):
    """A request failed, or its worker died over it; the message is fit for a report."""

    def __init__(self, reason: str) -> None:
        # Reports are published: a file's name helps, the folders of this machine do not.
        super().__init__(re.sub(r"(?<![\w/])(/[^/\s'\"]+)+/", "", reason))


class WorkerClient:
    """Sends requests to a worker process, which starts when needed, also after it died."""

    def __init__(self, command: Sequence[str]) -> None:
        """`command` starts the Python interpreter that the worker is to run in."""
        self._command = [*command, str(SCRIPT)]
        self._process: subprocess.Popen[str] | None = None
        self._errors: IO[str] | None = None
        self._open = ExitStack()

    def ask(self, do: str, **details: Any) -> dict[str, Any]:
        """The worker's reply to one request, see `worker.py`; raises WorkerError."""
        process = self._process or self._start()
        watchdog = threading.Timer(REPLY_SECONDS, kill_group, [process])
        watchdog.daemon = True  # Ctrl-C may come while it starts: nothing is to wait for it then
        try:
            watchdog.start()
            line = exchange(process, json.dumps({"do": do, **details}))
        finally:
            watchdog.cancel()
        if not line:
            raise WorkerError(self._bury(process))
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise WorkerError(reply["error"])
        return reply

    def close(self) -> None:
        """End the worker process and those it started; harmless when there is none."""
        self._process = None
        self._open.close()

    def _start(self) -> subprocess.Popen[str]:
        self._errors = self._open.enter_context(scratch_file())
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            # MuJoCo leaves a log of its warnings in the current folder.
            cwd=self._open.enter_context(tempfile.TemporaryDirectory()),
            start_new_session=True,  # A group of its own, so that its children can be ended too.
        )
        self._open.callback(end, self._process)
        return self._process

    def _bury(self, process: subprocess.Popen[str]) -> str:
        """Clean up after a worker that gave no reply; returns why, as far as can be told."""
        code = process.wait()
        last_words = self._last_words()
        self.close()
        if code == -signal.SIGKILL:
            return f"killed: no reply within {REPLY_SECONDS:.0f} s, or out of memory"
        cause = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        return f"worker ended with {cause}; its last line: {last_words}"

    def _last_words(self) -> str:
        assert self._errors is not None
        self._errors.seek(0)
        lines = self._errors.read().split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "no message")


def versions(command: Sequence[str], packages: Iterable[str]) -> dict[str, str | None]:
    """Versions of an interpreter and of these packages in it, see `worker.py`."""
    with closing(WorkerClient(command)) as worker:
        return worker.ask("versions", packages=list(packages))


def scratch_file() -> IO[str]:
    """A file that vanishes once closed."""
    return tempfile.TemporaryFile("w+", errors="replace")


def exchange(process: subprocess.Popen[str], line: str) -> str:
    """Send one line and wait for the next one; empty if the process has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.write(line + "\n")
        process.stdin.flush()
    return process.stdout.readline()


def end(process: subprocess.Popen[str]) -> None:
    """End a process, politely at first, and whatever is left of its group."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError, subprocess.TimeoutExpired):
        process.stdin.close()
        process.wait(EXIT_SECONDS)
    kill_group(process)
    process.wait()
    process.stdout.close()


def kill_group(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
