"""Restarts: workers that have ended are started again, by a reset or by a call that waits."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Sequence

from numpy.typing import ArrayLike

from envpool import _core
from envpool.errors import EnvironmentFailure
from envpool.workers.pool_side.processes import Workers
from envpool.workers.worker_side.worker import Setup

_ATTEMPTS = 3  # to start a worker again whose environments are to go on


class Restarts:
    """Starts the workers of a pool again.

    Args:
        native: The pool. It calls :meth:`go_on`, so this does not keep it.
        workers: Its workers.
        setup: What they have to know of it.
        on_worker_death: ``"restart"`` or ``"raise"``.
    """

    def __init__(
        self, native: _core.ProcessPool, workers: Workers, setup: Setup, on_worker_death: str
    ) -> None:
        self._native = weakref.ref(native)
        self._workers = workers
        self._setup = setup
        self._are_allowed = on_worker_death == "restart"
        self._alone = threading.RLock()
        self._is_starting = False
        if self._are_allowed:
            native.set_restart(self.go_on)

    def before_reset(self, native: _core.ProcessPool, env_id: ArrayLike | None) -> None:
        """Restarts the workers of these environments that have ended.

        Raises:
            EnvironmentFailure: An environment was not made. None of the workers is started then.
            RuntimeError: It is not allowed, or the pool is closed.
        """
        native.check_idle([], True)  # of a closed pool all workers have ended
        if not native.lost_workers(env_id):
            return
        with self._alone:
            lost = native.lost_workers(env_id)
            if lost and not self._are_allowed:
                ends = "; ".join(map(self._workers.describe_end, lost))
                raise RuntimeError(f"{ends}: on_worker_death is 'raise', so make another pool")
            if lost and self._is_starting:
                raise RuntimeError("the call that this signal handler interrupts starts workers")
            if lost:
                self._start(native, lost)

    def go_on(self, number: int) -> str:
        """Restarts a worker whose environments survive its end; the native pool calls this.

        Returns:
            Why it cannot be started; nothing if it was.
        """
        native = self._native()
        assert native is not None  # it is the caller
        with self._alone:
            if self._is_starting or number not in native.awaiting_restart():
                return ""  # because another call does it, or has done it
            for _ in range(_ATTEMPTS):
                try:
                    self._start(native, [number])
                    return ""
                except EnvironmentFailure as failure:
                    why = failure.messages[0]
                    warnings.warn(
                        f"worker {number} has ended, and starting it again has failed: {why}",
                        RuntimeWarning,
                        stacklevel=2,
                    )
        return f"its worker has ended, and starting it again has failed {_ATTEMPTS} times: {why}"

    def _start(self, native: _core.ProcessPool, numbers: Sequence[int]) -> None:
        self._is_starting = True
        try:
            self._workers.restart(native, self._setup, numbers)
        finally:
            self._is_starting = False
