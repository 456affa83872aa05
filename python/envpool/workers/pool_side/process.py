"""WorkerProcess: a process that runs environments, and the questions that it answers."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import multiprocessing.connection
import os
import pickle
import queue
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from typing import Any, NamedTuple

from envpool.launcher import UNKNOWN_STATUS, Process, signal_name
from envpool.workers.worker_side import main

_REAPING_S = 1.0  # how long it may take after the end of a process until its status is known

# Gets the numbers of workers with what they answer. A text says how a worker has ended instead.
Answers = queue.SimpleQueue[tuple[int, Any]]


class Question(NamedTuple):
    """Something that a worker is asked.

    Attributes:
        message: What it is sent; None: nothing, because it says something of its own accord.
        then: Is called when that was sent.
    """

    message: bytes | None
    then: Callable[[], object] = lambda: None


class WorkerProcess(Process):
    """A process that runs environments, as the one that has started it sees it.

    All that goes over the socket to it is questions and their answers, one after the other, by a
    thread of its own: half a message would be the end of all others, and signals interrupt the main
    thread.

    Args:
        job: What it is to do; its factories are pickled unless the process is forked off.
        method: How it starts: "spawn", "fork" or "forkserver".
        answers: Gets what it says once it has made its environments.

    Attributes:
        number: The worker's number.
        env_ids: The environments that it runs.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self, job: main.Job, method: str, answers: Answers) -> None:
        self.number, self.env_ids = job.worker, job.env_ids
        # A signal's handler may interrupt who has these, and close the pool.
        self._asking = threading.RLock()
        self._ending = threading.RLock()
        self._questions: queue.SimpleQueue[tuple[Question, Answers] | None] = queue.SimpleQueue()
        self._talker: threading.Thread | None = None
        self._has_ended = False  # then nobody answers questions
        told = None if method == "fork" else pickle.dumps(job)
        self._questions.put((Question(told), answers))
        self._ours, theirs = multiprocessing.Pipe(duplex=True)
        their_lifeline, self._lifeline = multiprocessing.Pipe(duplex=False)
        _parents.update((self._ours, self._lifeline))
        run: Callable[..., None] = main.run
        files: tuple[int, ...] = theirs.fileno(), their_lifeline.fileno()
        if method == "fork":
            run, files = functools.partial(main.run_job, theirs, their_lifeline, job), ()
        with theirs, their_lifeline:
            super().__init__(method, run, files)

    def start_talking(self) -> None:
        """Starts the thread that asks it what it is asked: first that it make its environments."""
        talker = threading.Thread(target=self._talk, daemon=True)
        talker.start()
        self._talker = talker

    def ask(self, question: Question, answers: Answers) -> None:
        """Asks it something, after all that it was asked before, and returns at once.

        Args:
            question: What.
            answers: Gets what it says; of one that has ended, how.
        """
        with self._asking:
            if not self._has_ended:
                self._questions.put((question, answers))
                return
        answers.put((self.number, self.describe_end()))

    def _talk(self) -> None:
        while (asked := self._questions.get()) is not None:
            question, answers = asked
            try:
                answer = self._answer(question)
            except Exception as error:  # an environment has written to the socket
                self.kill()
                answer = f"{self._who} was ended, because it answers with: {error}"
            answers.put((self.number, answer))
        self._questions.put(None)  # whoever else talks has nothing left to do

    def _answer(self, question: Question) -> Any:
        """Returns what it says; of one that has ended, how."""
        try:
            if question.message is not None:
                self._ours.send_bytes(question.message)
            question.then()
        except (BrokenPipeError, ConnectionResetError):
            pass  # because it has ended, or will when it sees that the socket is closed
        except OSError:
            self.kill()  # because it would wait for the rest for ever
        if self._ours in multiprocessing.connection.wait([self._ours, self.sentinel]):
            with contextlib.suppress(EOFError, ConnectionResetError):
                return pickle.loads(self._ours.recv_bytes())
        return self.describe_end()

    def send_files(self, files: list[int]) -> None:
        """Sends it open files, as a part of a question."""
        for file in files:
            send_handle(self._ours, file, self.pid)

    @property
    def _who(self) -> str:
        return f"worker {self.number} (pid {self.pid})"

    def describe_end(self) -> str:
        """How it has ended, in words."""
        if not self.wait(_REAPING_S):
            return f"{self._who} has closed its socket"
        status = self.status or 0
        if status == UNKNOWN_STATUS:
            return f"{self._who} has ended, and SIGCHLD's handling here hides how"
        if status >= 0:
            return f"{self._who} exited with status {status}"
        hint = ", perhaps for want of memory" if -status == signal.SIGKILL else ""
        return f"{self._who} was killed by {signal_name(-status)}{hint}"

    def end(self) -> None:
        """Ends it at once, and forgets it. May be called again, and by several threads."""
        with self._ending:
            self.kill()
            self.wait()
            with self._asking:
                self._has_ended = True
                self._questions.put(None)
            if self._talker is not None:
                self._talker.join()  # it has seen that the process ended
            else:
                self._talk()  # with those who have asked before it was ready
            self._ours.close()
            self._lifeline.close()
            self.close()


@contextlib.contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """Ctrl-C has to wait: Python drops what a handler raises in the hooks of a fork.

    The process that starts meanwhile gets none until it ignores them.
    """
    came: list[int] = []
    handler = signal.getsignal(signal.SIGINT)
    is_handled_here = callable(handler) and threading.current_thread() is threading.main_thread()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    if is_handled_here:  # whichever thread gets it
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        if is_handled_here:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if came:
            signal.raise_signal(signal.SIGINT)


# The ends by whose end workers know this process's. A child that forks off must not keep them open.
_parents: weakref.WeakSet[Connection] = weakref.WeakSet()


def _leave_workers_to_parent() -> None:
    for end in list(_parents):
        end.close()


os.register_at_fork(after_in_child=_leave_workers_to_parent)
