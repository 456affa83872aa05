"""Arguments of vector environments."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.flavours.arguments import check_mask
from envpool.machine import demanded, usable_cores
from envpool.spec.values import integer

# Processes by default where there are fewer cores, so that environments that wait do so at the same
# time: 64 that sleep for 1 ms take 7 ms then, in a process each 8. For what never waits that is too
# many: 64 CartPoles on two cores take half as long again as with two.
_LEAST = 12


def take_reset_mask(
    options: Any, seeds: list[Any], num_envs: int
) -> tuple[NDArray[np.int32] | None, list[Any]]:
    """Takes the reset_mask out of the options of a reset, as Gymnasium does.

    Wrappers rely on it: what is left is what environments get, and the caller's dict changes.

    Args:
        options: What the caller gave.
        seeds: For each environment, or none at all.
        num_envs: How many environments there are.

    Returns:
        The environments that it selects, None if there is no mask; and their seeds.

    Raises:
        TypeError: It is no array of bools.
        ValueError: It has a wrong shape, or selects nothing.
    """
    if not isinstance(options, MutableMapping) or "reset_mask" not in options:
        return None, seeds
    ids = np.flatnonzero(check_mask(options.pop("reset_mask"), num_envs)).astype(np.int32)
    return ids, [seeds[i] for i in ids] if seeds else []


def choose_workers(
    num_envs: int, num_workers: int | None, worker_threads: int, most: int | None
) -> tuple[int, int]:
    """How many processes there are, and how many environments of each run at the same time.

    Args:
        num_envs: How many environments there are.
        num_workers: What the caller wants.
        worker_threads: What the caller wants.
        most: How many environments may run at the same time in all; None: any number.

    Raises:
        TypeError, ValueError: The last of these is no number of environments.
    """
    if most is not None:
        most = integer("max_concurrency", most, 1)
    if num_workers is None:
        num_workers = max(1, min(num_envs, demanded() or max(usable_cores(), _LEAST)))
    if most is not None and num_workers > 0:
        num_workers = min(num_workers, most)
        worker_threads = max(1, min(worker_threads, most // num_workers))
    return num_workers, worker_threads
