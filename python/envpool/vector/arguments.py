"""Arguments of vector environments, checked as Gymnasium's own do, with their messages."""

from __future__ import annotations

import operator
from collections.abc import MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import shown
from envpool.flavours.arguments import check_mask
from envpool.machine import demanded, usable_cores
from envpool.spec.options import START_METHODS
from envpool.spec.values import is_sequence

# Processes by default where there are fewer cores, so that environments that wait do so at the same
# time: 64 that sleep for 1 ms take 7 ms then, in a process each 8. For what never waits that is too
# many: 64 CartPoles on two cores take half as long again as with two.
_LEAST = 12


def each_seed(seed: Any, num_envs: int) -> list[Any]:
    """One seed or None for each environment, which checks it itself.

    Args:
        seed: None, an integer s for s + i in environment i, or one each.
        num_envs: How many environments there are.

    Raises:
        TypeError: It is neither of these.
        ValueError: There is a wrong number of them.
    """
    if seed is None:
        return [None] * num_envs
    if not is_sequence(seed):
        try:
            first = operator.index(seed)
        except TypeError:
            raise TypeError(f"seed is {shown(seed)}, expected integers or None") from None
        return [first + i for i in range(num_envs)]
    if len(seed) != num_envs:
        raise ValueError(
            "If seeds are passed as a list the length must match "
            f"num_envs={num_envs} but got length={len(seed)}."
        )
    return [value.item() if isinstance(value, np.integer) else value for value in seed]


def take_reset_mask(options: Any, num_envs: int) -> NDArray[np.bool_] | None:
    """Takes the reset_mask out of the options of a reset, as Gymnasium does.

    Wrappers rely on it: what is left is what environments get, and the caller's dict changes.

    Args:
        options: What the caller gave.
        num_envs: How many environments there are.

    Returns:
        A bool per environment, or None if there is no mask.

    Raises:
        TypeError: It is no array of bools.
        ValueError: It has a wrong shape, or selects nothing.
    """
    if not isinstance(options, MutableMapping) or "reset_mask" not in options:
        return None
    return check_mask(options.pop("reset_mask"), num_envs)


def each_value(values: Any, num_envs: int) -> list[Any]:
    """One value of an attribute for each environment.

    Args:
        values: A list or tuple with one for each of them, or one for all.
        num_envs: How many environments there are.

    Raises:
        ValueError: There is a wrong number of them.
    """
    if not isinstance(values, list | tuple):
        return [values] * num_envs
    if len(values) != num_envs:
        raise ValueError(
            "Values must be a list or tuple with length equal to the number of environments. "
            f"Got `{len(values)}` values for {num_envs} environments."
        )
    return list(values)


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
        return START_METHODS[0]
    if context not in START_METHODS:
        expected = ", ".join(map(repr, START_METHODS))
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
