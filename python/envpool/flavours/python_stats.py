"""PythonPoolStats: what a pool of Python environments did, and where its time went."""

from __future__ import annotations

import dataclasses
from typing import Any

from envpool.flavours.stats import PoolStats


@dataclasses.dataclass(frozen=True)
class PythonPoolStats(PoolStats):
    """Counted as :class:`PoolStats` are. Times are in seconds.

    Attributes:
        worker_env: For each worker, how long it was inside of environments.
        worker_copy: For each worker, how long it wrote results; ``worker_busy`` is both.
        hint: Which ``num_workers`` would be quicker, and why; None if none is likely to be.
    """

    worker_env: tuple[float, ...]
    worker_copy: tuple[float, ...]
    hint: str | None

    @classmethod
    def from_native(cls, native: dict[str, Any]) -> PythonPoolStats:
        """The numbers of :meth:`envpool.workers.pool.PythonPool.stats`."""
        return cls(
            **vars(PoolStats.from_native(native)),
            worker_env=tuple(ns * 1e-9 for ns in native["env_ns"]),
            worker_copy=tuple(ns * 1e-9 for ns in native["copy_ns"]),
            hint=native["hint"],
        )
