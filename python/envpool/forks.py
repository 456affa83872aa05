"""ForkLock: a lock that forked children find free."""

from __future__ import annotations

import os
import threading

_PATIENCE_S = 5.0


class ForkLock:
    """A reentrant lock for the life of the process, of which a forked child has one of its own.

    A fork in another thread waits for it for some seconds, so that the child finds nothing half
    done. If that does not help, the child gets a new one: the thread that has the old one does not
    exist there.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        os.register_at_fork(
            before=lambda: self._lock.acquire(timeout=_PATIENCE_S),
            after_in_parent=self._release,
            after_in_child=self._release_in_child,
        )

    def _release(self) -> bool:
        """Gives the lock back; returns whether the forking thread had it."""
        try:
            self._lock.release()
        except RuntimeError:  # another thread has had it for all the time that the fork waited
            return False
        return True

    def _release_in_child(self) -> None:
        if not self._release():
            self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()
