"""How pools end by themselves: when nobody has them any more, and before the interpreter exits."""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing.util  # noqa: F401 - so that its exit function comes after ours
import os
import weakref
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from envpool import _core
    from envpool.workers.processes import LocalWorkers, Processes

# For how long collection and the interpreter's exit wait for environments to close.
PATIENCE_S = 0.5


class Ending(Protocol):
    """A pool that can be ended together with others."""

    def begin_end(self) -> None:
        """Refuses all calls from now on, and ends those that wait."""

    def end(self, seconds: float) -> None:
        """Ends the processes; their environments have so many seconds to close."""


_living: weakref.WeakSet[Ending] = weakref.WeakSet()


def end_in_time(
    pool: Ending, native: _core.SharedPool, workers: LocalWorkers | Processes
) -> weakref.finalize[Any, Any]:
    """Has a pool end when nobody has it any more, at the interpreter's exit at the latest.

    Args:
        pool: The pool.
        native: Its native side.
        workers: Its workers.

    Returns:
        What ends it, to be detached once it is closed.
    """
    finalizer = weakref.finalize(pool, _finish, native, workers, os.getpid())
    finalizer.atexit = False  # all at once is quicker: _end_all
    _living.add(pool)
    return finalizer


def _finish(native: _core.SharedPool, workers: LocalWorkers | Processes, owner: int) -> None:
    """What is done when nobody has the pool any more."""
    if os.getpid() == owner:
        native.close()
        workers.end(PATIENCE_S)


@atexit.register
def _end_all() -> None:
    """Ends all pools before the interpreter exits; their environments have the same time."""
    pools = list(_living)
    with contextlib.suppress(KeyboardInterrupt):
        for pool in pools:
            pool.begin_end()
        for pool in pools:
            pool.end(PATIENCE_S)
