"""Seeds of environments: environment i of a pool seeded with s gets s + i."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from envpool.errors import ArgumentError, shown

SEED_BITS = 64
SEED_LIMIT = 2**SEED_BITS


def check_seed(seed: Any, name: str = "seed") -> int:
    """The seed as an int.

    Raises:
        TypeError: It is no integer.
        ValueError: It is negative or does not fit into 64 bits.
    """
    if isinstance(seed, bool | np.bool_):
        raise TypeError(f"{name} is {shown(seed)}, expected an integer")
    try:
        value = operator.index(seed)
    except TypeError:
        raise TypeError(f"{name} is {shown(seed)}, expected an integer") from None
    if not 0 <= value < SEED_LIMIT:
        raise ArgumentError(f"{name} is {shown(value)}, expected 0 <= {name} < 2**64")
    return value


def is_sequence(seed: Any) -> bool:
    """Is this one seed per environment?

    Raises:
        TypeError: It is an array, but not of one dimension.
    """
    if isinstance(seed, np.ndarray) and seed.ndim != 1:
        raise TypeError(f"seed has shape {seed.shape}, expected an integer or one dimension")
    return isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes)


def seeds_for(seed: Any, env_ids: Sequence[int], num_envs: int, name: str = "seed") -> list[int]:
    """One seed for each of ``env_ids``.

    Args:
        seed: An integer s, for s + env_id each; or a sequence with one integer for each of
            ``env_ids``, or one for each environment of the pool.
        env_ids: The environments to seed.
        num_envs: The number of environments in the pool.
        name: What the caller calls the seeds.

    Raises:
        TypeError: A seed is no integer.
        ValueError: A seed does not fit into 64 unsigned bits, or there is a wrong number of them.
    """
    if not is_sequence(seed):
        first = check_seed(seed)
        check_seed(first + max(env_ids, default=0), "seed + env_id")
        return [first + int(env_id) for env_id in env_ids]
    seeds = [check_seed(value, f"{name}[{i}]") for i, value in enumerate(seed)]
    if len(seeds) == len(env_ids):
        return seeds
    if len(seeds) == num_envs:
        return [seeds[env_id] for env_id in env_ids]
    raise ArgumentError(
        f"{name} has {len(seeds)} entries, expected {len(env_ids)}, one per environment"
    )


def require_bits(seeds: Iterable[int | None], env_ids: Iterable[int], bits: int) -> None:
    """Refuses seeds that are too large for a task's random generator.

    Args:
        seeds: One for each of ``env_ids``, or None for those that get none.
        env_ids: The environments.
        bits: How many bits their seeds may have.

    Raises:
        ValueError: A seed has more; the message names the environment.
    """
    for env_id, seed in zip(env_ids, seeds, strict=True):
        if seed is not None and seed >= 2**bits:
            raise ArgumentError(
                f"the seed of environment {env_id} is {shown(seed)}, expected seed < 2**{bits} "
                "for this task"
            )
