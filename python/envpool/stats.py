"""PoolStats: what a pool did and where its time went."""

from __future__ import annotations

import dataclasses
from typing import Any


def _rounded(value: Any) -> str:
    """A value, or a tuple of them, with four digits that count."""
    if isinstance(value, tuple):
        comma = "," if len(value) == 1 else ""
        return f"({', '.join(map(_rounded, value))}{comma})"
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


@dataclasses.dataclass(frozen=True, repr=False)
class PoolStats:
    """Counted since the pool was made, or since ``stats(reset=True)``. Times are in seconds.

    Attributes:
        elapsed: The time since then.
        steps: Steps of environments; resets do not count.
        episodes: Episodes that ended.
        failures: Failures that environments survived by ``on_failure="reset"``.
        batches: Batches that ``recv`` (or ``step`` or ``reset``) returned.
        worker_busy: For each worker, how long it ran environments.
        worker_idle: For each worker, how long it had nothing to run.
        worker_env: For each worker, how long it was inside of environments.
        worker_copy: For each worker, how long it wrote results; ``worker_busy`` is both. Native
            environments write them themselves, which takes no time of its own.
        caller_busy: How long calling threads ran environments themselves instead of waiting: in
            synchronous pools, and light ones in asynchronous pools with a thread for each core.
        recv_wait: How long calling threads waited for a batch.
        batch_age: Mean time that finished batches of an asynchronous pool waited for ``recv``.
    """

    elapsed: float
    steps: int
    episodes: int
    failures: int
    batches: int
    worker_busy: tuple[float, ...]
    worker_idle: tuple[float, ...]
    caller_busy: float
    recv_wait: float
    batch_age: float
    worker_env: tuple[float, ...]
    worker_copy: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        """The numbers by their names, as for ``json.dumps``."""
        return dataclasses.asdict(self)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={_rounded(value)}" for name, value in vars(self).items())
        return f"{type(self).__name__}({values})"

    @property
    def steps_per_second(self) -> float:
        """Steps of environments per second of the counted time."""
        return self.steps / self.elapsed

    @property
    def recv_share(self) -> float:
        """The share of the time that callers spent in the pool, waiting or running environments.

        Near 1 a training run waits for the environments; near 0 it waits for the policy.
        """
        return (self.recv_wait + self.caller_busy) / self.elapsed
