"""What callers of vector environments give, checked as Gymnasium's own do, with their messages."""

from __future__ import annotations

import operator
from collections.abc import MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import shown
from envpool.spec.seeding import is_sequence


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
    mask = options.pop("reset_mask")
    what = "`options['reset_mask']` must"
    if not isinstance(mask, np.ndarray):
        raise TypeError(f"{what} be a numpy array, got {type(mask)}")
    if mask.shape != (num_envs,):
        raise ValueError(f"{what} have shape `({num_envs},)`, got {mask.shape}")
    if mask.dtype != np.bool_:
        raise TypeError(f"{what} have `dtype=np.bool_`, got {mask.dtype}")
    if not mask.any():
        raise ValueError(
            f"{what} contain a boolean array with at least one True value, got reset_mask={mask}"
        )
    return mask


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
