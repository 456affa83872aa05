"""Workers: who runs the environments of a pool, and is asked things about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from envpool import _core
from envpool.workers.letters import Failures, Letters, raise_failures
from envpool.workers.worker_side.worker import Answer, Farewell, Made, Setup

# A method of Worker, and the environments with its arguments, for each worker that is asked.
Requests = Mapping[int, tuple[str, list[tuple[int, tuple[Any, ...]]]]]
# What a worker says: an answer for each environment, or why there is none: it has ended, or cannot
# read the question.
Said = list[Answer] | Farewell | str | bytes
# Waits so many seconds; None: without end. Gives what each worker says.
WaitForAnswers = Callable[[float | None], Mapping[int, Said]]
# The numbers of workers with an environment that hangs.
FindLate = Callable[[], list[int]]


class Workers:
    """The workers of a pool, which have made its environments.

    Attributes:
        made: What each worker said of its environments.
        letters: How the pool and its workers write to each other.
        worker_of: The worker of each environment.
    """

    made: list[Made]
    letters: Letters
    worker_of: Sequence[int]

    def connect(self, native: _core.ProcessPool, setup: Setup) -> None:
        """Has the environments serve a pool."""
        raise NotImplementedError

    def before_reset(self, native: _core.ProcessPool, env_id: ArrayLike | None) -> None:
        """Starts the workers of these environments again that have ended.

        Raises:
            EnvironmentFailure: An environment was not made. None of the workers is started then.
            RuntimeError: The pool is closed.
        """
        native.idle_ids([])  # of a closed pool all workers have ended

    def describe_end(self, number: int) -> str:
        """Says what became of a worker that ended."""
        return ""

    def end(
        self, timeout: float | None, terminate: bool = False, late: FindLate = list
    ) -> Failures:
        """Ends them all, after the native pool was closed. May be called again.

        Args:
            timeout: Seconds in which they may close their environments; those that take longer are
                killed.
            terminate: They are killed at once.
            late: Tells which of them have an environment that hangs; these are killed, too.

        Returns:
            The environments that failed to close.
        """
        raise NotImplementedError

    def start(self) -> None:
        """Makes the environments, and processes for them; :meth:`end` also if this fails.

        Raises:
            EnvironmentFailure: An environment was not made, or its factory cannot be pickled.
        """
        raise NotImplementedError

    def ask(
        self,
        native: _core.ProcessPool,
        env_ids: Sequence[int],
        method: str,
        arguments: Iterable[tuple[Any, ...]],
    ) -> Callable[[float | None], list[Any]]:
        """Has workers do something, after all that they were asked to do before.

        Args:
            native: The pool that they serve.
            env_ids: The environments, none of which is in flight.
            method: A method of :class:`envpool.workers.worker_side.worker.Worker`.
            arguments: What it is called with, for each of the environments.

        Returns:
            What waits for the answers, for so many seconds at most, and returns or raises them.
        """
        own: dict[int, list[tuple[int, tuple[Any, ...]]]] = {}
        for env_id, its in zip(env_ids, arguments, strict=True):
            own.setdefault(self.worker_of[env_id], []).append((env_id, its))
        wait = self._ask(native, {worker: (method, each) for worker, each in own.items()})

        def read(timeout: float | None) -> list[Any]:
            values: dict[int, Any] = {}
            failures: Failures = []
            for worker, said in wait(timeout).items():
                ids = [env_id for env_id, _ in own[worker]]
                if not isinstance(said, list):
                    why = "the pool was closed" if isinstance(said, Farewell) else said
                    failures += [(env_id, why) for env_id in ids]
                    continue
                for env_id, (is_value, letter) in zip(ids, said, strict=True):
                    if is_value:
                        values[env_id] = self.letters.read_answer(letter)
                    else:
                        failures.append((env_id, letter))
            if failures:
                raise_failures(self.letters, failures)
            return [values[env_id] for env_id in env_ids]

        return read

    def _ask(self, native: _core.ProcessPool, requests: Requests) -> WaitForAnswers:
        raise NotImplementedError
