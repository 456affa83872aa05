"""Advice that would make a pool of Python environments quicker, by what it has measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from envpool.machine import CoreTime, cores
from envpool.workers.options import PoolOptions

# Handing a batch to other processes and back takes some tens of microseconds.
_HANDOVER_S = 200e-6
_FEWEST_BATCHES = 20  # tell anything about a batch
_MOST = 0.5  # of a time is most of it
_NEARLY_ALL = 0.8


class Load(NamedTuple):
    """A pool at work, in the time that is looked at. Times are in seconds.

    Attributes:
        num_envs: How many environments there are.
        batch_size: How many results a batch has.
        num_workers: The processes; 0: the caller runs the environments.
        worker_threads: How many environments of a process can run at the same time.
        cores: Those that the processes may use.
        elapsed: The time that is looked at.
        batches: How many were received.
        work: How long environments ran and results were written, summed over all of them.
        computed: How long processes were on a core.
        queued: How long they were ready to run, but others had the cores, or a quota was used up.
        waited: How long callers waited for batches, or ran environments themselves.
    """

    num_envs: int
    batch_size: int
    num_workers: int
    worker_threads: int
    cores: int
    elapsed: float
    batches: int
    work: float
    computed: float
    queued: float
    waited: float

    @classmethod
    def of(
        cls, options: PoolOptions, native: Mapping[str, Any], core_times: Sequence[CoreTime]
    ) -> Load:
        """Reads the native pool's counts, and how long each worker has had a core."""
        return cls(
            num_envs=options.num_envs,
            batch_size=options.batch_size,
            num_workers=0 if options.num_workers == 0 else max(options.workers()) + 1,
            worker_threads=options.worker_threads,
            cores=cores(),
            elapsed=native["elapsed_ns"] * 1e-9,
            batches=native["batches"],
            work=sum((*native["busy_ns"], *native["copy_ns"])) * 1e-9,
            computed=sum(time.used for time in core_times),
            queued=sum(time.queued for time in core_times),
            waited=native["receive_wait_ns"] * 1e-9,
        )

    @property
    def wanted_core(self) -> float:
        """How long environments computed, or would have if there had been cores for it."""
        return self.computed + self.queued


def advise(load: Load) -> str | None:
    """A sentence that says which ``num_workers`` would be quicker; None if none is likely to be."""
    if load.batches < _FEWEST_BATCHES or load.waited < _MOST * load.elapsed:
        return None  # too little was seen, or it is not the environments that take the time
    if load.num_workers == 0:
        return _advise_local(load)
    if load.wanted_core < _MOST * load.work:
        return _advise_waiting(load)
    return _advise_computing(load)


def _advise_local(load: Load) -> str | None:
    best = min(load.num_envs, load.cores)
    work = load.work / load.batches
    if best == 1 or work < 2 * _HANDOVER_S:  # it would have to be shared
        return None
    return _suggest(best, f"the environments take {_shown(work)} per batch in this thread")


def _advise_computing(load: Load) -> str | None:
    work, wait = load.work / load.batches, load.waited / load.batches
    if load.batch_size == load.num_envs and work < min(_HANDOVER_S, _NEARLY_ALL * wait):
        reason = f"the environments take {_shown(work)} per batch, but recv waits {_shown(wait)}"
        return _suggest(0, reason)
    best = min(load.num_envs, load.cores)
    if load.num_workers > best or (load.num_workers < best and work > _HANDOVER_S):
        return _suggest(best, f"the environments compute, and cores to do so on are {load.cores}")
    return None


def _advise_waiting(load: Load) -> str | None:
    """For environments that mostly wait: as many as possible are to do so at the same time."""
    at_once = load.num_workers * load.worker_threads
    if load.work < _MOST * at_once * load.waited:  # there are enough already
        return None
    useful = math.ceil(at_once * load.work / max(load.wanted_core, 1e-9))
    best = min(load.num_envs, useful)
    if best <= at_once:
        return None
    share = 1 - load.wanted_core / load.work
    reason = f"the environments wait {share:.0%} of their time for something else than a core"
    return _suggest(best, reason) + f", or worker_threads={math.ceil(best / load.num_workers)}"


def _suggest(num_workers: int, reason: str) -> str:
    return f"{reason}: it may be quicker with num_workers={num_workers}"


def _shown(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"  # noqa: PLR2004
