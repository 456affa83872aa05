"""Life: where a worker is in its life, and what it means for those who ask for it."""

from __future__ import annotations

import enum
import threading

from envpool.workers.pool_side.process import Answers, Question, WorkerProcess
from envpool.workers.signals import signals_held
from envpool.workers.worker_side.main import Job


class Stage(enum.Enum):
    """Where a worker is in its life."""

    ENDED = "it has no process"
    STARTING = "its process makes the environments, and gets to know the pool"
    READY = "its process runs the environments"
    CLOSED = "the pool is closed, or about to be"


class Life:
    """The life of one worker: the processes that are it, one after the other.

    Any thread may ask a worker, and close its pool, at any time, and so may handlers of signals:

    ========  =============  ========================  ========  ================================
    stage     :meth:`begin`  :meth:`ask` is answered   at        :meth:`close` leaves a process
    ========  =============  ========================  ========  ================================
    ENDED     STARTING       how the last one ended               none
    STARTING  refused        how the last one ended    READY     that is to end when it can
    READY     refused        by the process            ENDED     that is to close its environments
    CLOSED    refused        "the pool was closed"               the same as before
    ========  =============  ========================  ========  ================================

    Args:
        number: The worker's number.
        env_ids: The environments that it runs.

    Attributes:
        stage: Where it is.
        process: Its process, or the last one.
        starts: How often it has begun.
    """

    def __init__(self, number: int, env_ids: list[int]) -> None:
        self.number = number
        self.env_ids = env_ids
        self.stage = Stage.ENDED
        self.process: WorkerProcess | None = None
        self.starts = 0
        self._end = f"worker {number} was ended"
        self._changing = threading.RLock()

    def require_open(self) -> None:
        """Refuses what is of no use any more.

        Raises:
            RuntimeError: The pool was closed.
        """
        if self.stage is Stage.CLOSED:
            raise RuntimeError("the pool is closed")

    def _enter(self, stage: Stage) -> None:
        with self._changing:
            self.require_open()
            self.stage = stage

    def begin(self, job: Job, method: str) -> WorkerProcess:
        """Starts a process: from ENDED to STARTING.

        Raises:
            OSError: It cannot be started.
            RuntimeError: The pool was closed.
        """
        with signals_held():
            self._enter(Stage.STARTING)
            self.starts += 1
            process = WorkerProcess(job, method)
            with self._changing:
                if self.stage is Stage.STARTING:
                    self.process = process
                    return process
            process.end()  # because nobody else knows of it
        raise RuntimeError("the pool is closed")

    def serve(self) -> None:
        """Has the process answer questions: from STARTING to READY.

        Raises:
            RuntimeError: The pool was closed.
        """
        self._enter(Stage.READY)

    def lose(self) -> None:
        """Ends the process, if there is one: to ENDED. One of a closed pool is left alone."""
        with signals_held():
            with self._changing:
                if self.stage is Stage.CLOSED:
                    return
                self.stage = Stage.ENDED
                process, self.process = self.process, None
            if process is not None:
                if not process.is_running:  # and so it was not ended by this
                    self._end = process.describe_end()
                process.end()

    def close(self) -> WorkerProcess | None:
        """Lets nothing begin any more: to CLOSED. Returns the process that is to be ended."""
        with self._changing:
            self.stage = Stage.CLOSED
            return self.process

    def ask(self, question: Question, answers: Answers) -> None:
        """Asks the process; see :meth:`WorkerProcess.ask`. Others answer at once."""
        with self._changing:
            stage, process = self.stage, self.process
        if stage is Stage.READY and process is not None:
            process.ask(question, answers)
        else:
            text = "the pool was closed" if stage is Stage.CLOSED else self.describe_end()
            answers.put((self.number, text))

    def describe_end(self) -> str:
        """How the last process has ended, in words."""
        process = self.process
        if process is None or self.stage is Stage.STARTING:
            return self._end
        return process.describe_end()
