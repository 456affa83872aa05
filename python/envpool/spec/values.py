"""Values that callers give: integers, seeds, modes, and lists with a value for each environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

import numpy as np

from envpool.errors import ArgumentError, shown

try:
    from gymnasium.vector import AutoresetMode as AutoresetMode  # noqa: PLC0414 - for others, too
except ImportError:  # Gymnasium < 1.1

    class AutoresetMode(Enum):  # type: ignore[no-redef]
        """The modes and names that later versions of Gymnasium have."""

        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"


INT_MAX = 2**31 - 1
MOST_FAILURES = 1000  # that a pool survives, unless it is told otherwise
_ALL = 2**63 - 1  # which is more than there will be
MOST_ENVS = 2**30 - 1  # cpp/scheduling/request_lanes.h packs an id into 30 bits
MOST_PIXELS = 16384  # in a row or column of a picture; graphics cards have about that limit
SEED_BITS = 64


def integer(name: str, value: Any, least: int, most: int = INT_MAX) -> int:
    """The value as an int.

    Args:
        name: What messages call it.
        value: What the caller gave.
        least: The least that it may be.
        most: The most.

    Raises:
        TypeError: It is no integer.
        ArgumentError: It is less or more.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} is {shown(value)}, expected an integer")
    if not least <= value <= most:
        raise ArgumentError(f"{name} is {shown(value)}, expected {least} <= {name} <= {most}")
    return int(value)


def parse_mode(mode: Any) -> AutoresetMode:
    """The mode of this name or value.

    Args:
        mode: An ``AutoresetMode``, its value (``"NextStep"``) or its name (``"NEXT_STEP"``).

    Raises:
        ValueError: There is no such mode.
        TypeError: It is neither a mode nor a string.
    """
    if isinstance(mode, AutoresetMode):
        return mode
    if not isinstance(mode, str):
        raise TypeError(f"autoreset_mode is {shown(mode)}, expected an AutoresetMode or its name")
    for known in AutoresetMode:
        if mode in (known.name, known.value):
            return known
    names = ", ".join(repr(known.value) for known in AutoresetMode)
    raise ArgumentError(f"autoreset_mode is {shown(mode)}, expected one of {names}")


def failures_survived(on_failure: Any, max_failures: Any) -> int:
    """How many failures of its environments a pool survives; 0: callers are told of each.

    Args:
        on_failure: ``"raise"`` or ``"reset"``.
        max_failures: As many, at least 1, if it is the latter. None: all.

    Raises:
        ValueError: These are not allowed, or not together.
        TypeError: ``max_failures`` is neither an integer nor None.
    """
    most = _ALL if max_failures is None else integer("max_failures", max_failures, 1)
    if not isinstance(on_failure, str) or on_failure not in ("raise", "reset"):
        raise ArgumentError(f"on_failure is {shown(on_failure)}, expected 'raise' or 'reset'")
    if on_failure == "raise":
        if most != MOST_FAILURES:
            raise ArgumentError(
                f"max_failures is {max_failures} and on_failure is 'raise', "
                "expected 'reset' beside it"
            )
        return 0
    return most


def check_seed(seed: Any, name: str = "seed") -> int:
    """The seed as an int.

    Raises:
        TypeError: It is no integer.
        ValueError: It is negative or does not fit into 64 bits.
    """
    return integer(name, seed, 0, 2**SEED_BITS - 1)


def is_sequence(seed: Any) -> bool:
    """True if this is one seed per environment.

    Raises:
        TypeError: It is an array, but not of one dimension.
    """
    if isinstance(seed, np.ndarray) and seed.ndim != 1:
        raise TypeError(f"seed has shape {seed.shape}, expected an integer or one dimension")
    return isinstance(seed, Sequence | np.ndarray) and not isinstance(seed, str | bytes)


def seeds_for(
    seed: Any, env_ids: Sequence[int], num_envs: int, name: str = "seed", *, or_none: bool = False
) -> list[Any]:
    """One seed for each of ``env_ids``.

    Args:
        seed: An integer s, for s + env_id each; or a sequence with one integer for each of
            ``env_ids``, or one for each environment of the pool.
        env_ids: The environments to seed.
        num_envs: The number of environments in the pool.
        name: What the caller calls the seeds.
        or_none: True if None may be in a sequence, for a generator that stays as it is.

    Raises:
        TypeError: A seed is no integer.
        ValueError: A seed does not fit into 64 unsigned bits, or there is a wrong number of them.
    """
    if not is_sequence(seed):
        first = check_seed(seed)
        check_seed(first + max(env_ids, default=0), "seed + env_id")
        return [first + int(env_id) for env_id in env_ids]
    seeds = [
        None if or_none and value is None else check_seed(value, f"{name}[{i}]")
        for i, value in enumerate(seed)
    ]
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


def is_per_env(name: str, value: Any, default: Any, num_envs: int) -> bool:
    """True if this is a list with an option's value for each environment.

    Args:
        name: The option.
        value: What was given for it.
        default: Its default.
        num_envs: How many environments there are.

    Raises:
        ArgumentError: It is a list of another length.
    """
    if not _is_list(value):
        return False
    # A list of lists, for an option that is a list itself.
    if isinstance(default, list) and not any(map(_is_list, value)):
        return False
    if len(value) != num_envs:
        raise ArgumentError(
            f"{name} has {len(value)} values, expected one, "
            f"or one for each of num_envs = {num_envs} environments"
        )
    return True


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)
