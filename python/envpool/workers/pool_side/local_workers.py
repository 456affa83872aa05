"""LocalWorkers: the one worker of a pool that has its environments in this process."""

from __future__ import annotations

from collections.abc import Sequence

from envpool import _core
from envpool.workers.factories import Factory
from envpool.workers.letters import Failures, LocalLetters, raise_failures
from envpool.workers.pool_side.workers import FindLate, Requests, WaitForAnswers, Workers
from envpool.workers.worker_side.worker import Setup, Worker


class LocalWorkers(Workers):
    """One worker that has all environments, in this process.

    Args:
        factories: What makes each environment.

    Attributes:
        worker: The worker, once it has started.
    """

    def __init__(self, factories: Sequence[Factory]) -> None:
        self.worker_of = [0] * len(factories)
        self.letters = LocalLetters()
        self._factories = factories
        self.worker: Worker

    def start(self) -> None:
        """See :meth:`Workers.start`."""
        ids = range(len(self._factories))
        self.worker = Worker(0, ids, self._factories, self.letters, in_process=True)
        if self.worker.failed:
            raise_failures(self.letters, self.worker.failed)
        self.made = [self.worker.made()]

    def connect(self, native: _core.ProcessPool, setup: Setup) -> None:
        """See :meth:`Workers.connect`."""
        native.set_station(self.worker.make_station(setup, native.files))

    def _ask(self, native: _core.ProcessPool, requests: Requests) -> WaitForAnswers:
        answers = {worker: self.worker.answer(*request) for worker, request in requests.items()}
        return lambda timeout: answers

    def end(
        self, timeout: float | None, terminate: bool = False, late: FindLate = list
    ) -> Failures:
        """Closes the environments; tells which of them failed to."""
        return self.worker.close() if hasattr(self, "worker") else []
