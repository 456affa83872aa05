"""The arguments of AsyncVectorEnv that are about its workers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium import Space, spaces

from envpool.errors import shown
from envpool.machine import demanded, usable_cores

# Processes by default where there are fewer cores, so that environments that wait do so at the same
# time: 64 that sleep for 1 ms take 7 ms then, in a process each 8. For what never waits that is too
# many: 64 CartPoles on two cores take half as long again as with two.
_LEAST = 12
_START_METHODS = ("spawn", "forkserver", "fork")


def check_worker(worker: Any) -> None:
    """Refuses a worker function of the caller's.

    Raises:
        ValueError: There is one.
    """
    if worker is not None:
        raise ValueError(
            f"worker is {shown(worker)}, expected None: here no process serves an environment's "
            "pipe. What a worker does otherwise can be done by a wrapper around the environment, "
            "or with gymnasium.vector.AsyncVectorEnv"
        )


def check_concurrency(max_concurrency: Any) -> None:
    """Refuses what is no number of environments, in Gymnasium's words.

    Raises:
        ValueError: It is neither None nor a positive integer.
    """
    if max_concurrency is None:
        return
    if isinstance(max_concurrency, bool) or not isinstance(max_concurrency, int | np.integer):
        raise ValueError(
            f"`max_concurrency` must be an integer or None, got {type(max_concurrency)}."
        )
    if max_concurrency < 1:
        raise ValueError(f"`max_concurrency` must be a positive or None, got {max_concurrency}.")


def start_method_of(context: Any) -> str:
    """How workers start, by multiprocessing's name for it.

    Raises:
        ValueError: There is no such way.
    """
    if context is None:
        return _START_METHODS[0]
    if context not in _START_METHODS:
        expected = ", ".join(map(repr, _START_METHODS))
        raise ValueError(f"cannot find context for {shown(context)}, expected None, {expected}")
    return str(context)


def choose_workers(
    num_envs: int, num_workers: int | None, worker_threads: int, most: int | None
) -> tuple[int, int]:
    """How many processes there are, and how many environments of each run at the same time.

    Args:
        num_envs: How many environments there are.
        num_workers: What the caller wants.
        worker_threads: What the caller wants.
        most: How many environments may run at the same time in all.
    """
    if num_workers is None:
        num_workers = max(1, min(num_envs, demanded() or max(usable_cores(), _LEAST)))
    if most is not None and num_workers > 0:
        num_workers = min(num_workers, most)
        worker_threads = max(1, min(worker_threads, most // num_workers))
    return num_workers, worker_threads


def check_shared_memory(space: Space[Any]) -> None:
    """Refuses spaces of which Gymnasium does not know how they are shared.

    Args:
        space: A single environment's observation space.

    Raises:
        ValueError: There is one, which Gymnasium refuses, too; others than arrays are pickled here.
    """
    parts: Iterable[Space[Any]] = ()
    if isinstance(space, spaces.Tuple):
        parts = space.spaces
    elif isinstance(space, spaces.Dict):
        parts = space.values()
    elif not _is_gymnasiums(type(space)):
        raise ValueError(
            f"the observation space {space} is of a class of its own, and cannot be in shared "
            "memory: use shared_memory=False, which pickles it"
        )
    for part in parts:
        check_shared_memory(part)


def _is_gymnasiums(kind: type) -> bool:
    """Is it one of Gymnasium's kinds of spaces, or derived from one?"""
    known = kind.mro()[: kind.mro().index(Space)]
    return any(base.__module__.startswith("gymnasium.spaces") for base in known)
