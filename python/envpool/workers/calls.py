"""Calls: what is asked of environments beside steps and resets, and how their workers answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from envpool import _core
from envpool.workers.processes import LocalWorkers, Processes, raise_failures
from envpool.workers.worker import Answer

# Of some environments, all of one worker: what a method of the worker is called with beside them.
Arguments = Callable[[list[int]], tuple[Any, ...]]


class Calls:
    """Asks the workers of environments, which answer for each of these.

    Args:
        native: The native pool, which knows who is in flight.
        workers: Who is asked.
        worker_of: The worker of each environment.
    """

    def __init__(
        self,
        native: _core.SharedPool,
        workers: LocalWorkers | Processes,
        worker_of: Sequence[int],
    ) -> None:
        self._native = native
        self._workers = workers
        self._worker_of = worker_of

    def ids(self, env_ids: ArrayLike | None) -> list[int]:
        """The ids as a list; None: all of them.

        Raises:
            RuntimeError: One of them is in flight.
            ValueError, TypeError: They are no ids of environments.
        """
        self._native.check_idle(env_ids, True)
        if env_ids is None:
            return list(range(len(self._worker_of)))
        ids: list[int] = np.asarray(env_ids).tolist()
        return ids

    def ask(self, env_ids: Sequence[int], method: str, arguments: Arguments) -> list[Any]:
        """Asks, and waits for the answers.

        Args:
            env_ids: The environments, by :meth:`ids`.
            method: A method of :class:`envpool.workers.worker.Worker`.
            arguments: What it is called with.

        Raises:
            EnvironmentFailure: An environment failed, or its worker ended.
        """
        return self.begin(env_ids, method, arguments)(None)

    def begin(
        self, env_ids: Sequence[int], method: str, arguments: Arguments
    ) -> Callable[[float | None], list[Any]]:
        """As :meth:`ask`, but returns what waits for the answers, for so many seconds at most."""
        own: dict[int, list[int]] = {}
        for env_id in env_ids:
            own.setdefault(self._worker_of[env_id], []).append(env_id)
        requests = {worker: (method, (ids, *arguments(ids))) for worker, ids in own.items()}
        wait = self._workers.ask(self._native, requests)

        def read(timeout: float | None) -> list[Any]:
            values = self._read_answers(own, wait(timeout))
            return [values[env_id] for env_id in env_ids]

        return read

    def _read_answers(
        self, own: dict[int, list[int]], answers: dict[int, list[Answer] | str]
    ) -> dict[int, Any]:
        """What the environments answered, of which each worker has its own."""
        values: dict[int, Any] = {}
        failures: list[tuple[int, bytes | str]] = []
        for worker, said in answers.items():
            if isinstance(said, str):
                failures += [(env_id, said) for env_id in own[worker]]
                continue
            for env_id, (is_value, letter) in zip(own[worker], said, strict=True):
                if is_value:
                    values[env_id] = self._workers.letters.read(letter)
                else:
                    failures.append((env_id, letter))
        if failures:
            raise_failures(self._workers.letters, failures)
        return values
