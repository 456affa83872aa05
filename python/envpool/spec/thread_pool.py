"""Threads that several pools share."""

from __future__ import annotations

from typing import NoReturn, Self

from envpool import _core
from envpool.machine import MOST_THREADS, cores
from envpool.spec.values import integer


class ThreadPool:
    """Threads that step the environments of any number of pools, see ``docs/scaling.md``.

    Pass it to ``envpool.make(..., thread_pool=threads)``. The threads are shared fairly: after a
    thread has taken some work from one pool (a few microseconds' worth, or a single step if that
    takes longer), it takes at most as much from each other pool before it returns to the first.
    The threads end when this object is closed, or with the last of their pools if nothing refers
    to this object any more.

    Args:
        num_threads: How many there are; 0: one per core.
        thread_affinity_offset: Thread i runs on core offset + i; -1: the system decides.

    Raises:
        TypeError: A number is not an integer.
        ArgumentError: A number is out of range (also a ValueError).
        RuntimeError: The system does not allow so many threads.
    """

    def __init__(self, num_threads: int = 0, thread_affinity_offset: int = -1) -> None:
        self._num_threads = integer("num_threads", num_threads, 0, MOST_THREADS) or cores()
        self._thread_affinity_offset = integer("thread_affinity_offset", thread_affinity_offset, -1)
        self.native = _core.ThreadPool(self._num_threads, self._thread_affinity_offset)

    @property
    def num_threads(self) -> int:
        """How many threads there are."""
        return self._num_threads

    @property
    def thread_affinity_offset(self) -> int:
        """Thread i runs on core offset + i; -1: the system decides."""
        return self._thread_affinity_offset

    def close(self) -> None:
        """Ends the threads after the work that they are doing, and waits for that.

        From then on, pools that use them refuse calls that need threads. Pools can be closed before
        or after.
        """
        self.native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __deepcopy__(self, memo: object) -> Self:
        return self  # a copy of a pool's options means the same threads

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a ThreadPool has threads of this process and cannot be pickled: make one where the "
            "pools are made"
        )

    def __repr__(self) -> str:
        return (
            f"ThreadPool(num_threads={self.num_threads}, "
            f"thread_affinity_offset={self.thread_affinity_offset})"
        )
