"""What keeps forks of the process from finding our work half done.

A forked child has only the thread that forked: the locks that other threads held stay locked there,
and what they were changing stays as it was.
"""

from __future__ import annotations

import importlib
import os
import threading
from types import ModuleType, TracebackType

# A fork may be waited for by the very thread that it waits for, which holds a lock and needs
# another one of the forking thread's. Nothing that is done under a ForkLock takes a tenth of this.
_PATIENCE_S = 5.0


class ForkLock:
    """A reentrant lock that a fork in another thread waits for, for some seconds at most.

    For what cannot be begun anew in the child, and is soon done. Locks are never freed, so there is
    one per module, not per object.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        os.register_at_fork(
            before=self._await,
            after_in_parent=self._release,
            after_in_child=self._release_in_child,
        )

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def acquire(self, timeout: float = -1) -> bool:
        """Waits for it, without end if the timeout (in seconds) is -1. Returns whether it came."""
        return self._lock.acquire(timeout=timeout)

    def release(self) -> None:
        """Gives it back."""
        self._lock.release()

    def _await(self) -> None:
        self._lock.acquire(timeout=_PATIENCE_S)

    def _release(self) -> bool:
        """Returns whether the fork had the lock."""
        try:
            self._lock.release()
        except RuntimeError:  # it is another thread's
            return False
        return True

    def _release_in_child(self) -> None:
        if not self._release():
            self._lock = threading.RLock()


# Held while other packages register their tasks. They do so at the end of Gymnasium's import, too,
# whose thread may hold `importing`; so this is made before that.
loading_plugins = ForkLock()

# Held while something is imported late: Python has a lock for each module, which a child would wait
# for, and the module would be half there. Locks that are held meanwhile have to be made after it,
# because forks take the locks that were made last first.
importing = ForkLock()


def import_module(name: str) -> ModuleType:
    """The module of that name, imported so that forks in other threads wait for it.

    Args:
        name: Its absolute name.
    """
    with importing:
        return importlib.import_module(name)
