"""Action masks: what environments say of the actions that they allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown

KEY = "action_mask"  # of a Dict observation, or of infos


def mask_sizes(action_space: spaces.Space[Any]) -> list[int] | None:
    """How many values each part of an action has; None if there are no masks for such actions."""
    if isinstance(action_space, spaces.Discrete):
        return [int(action_space.n)]
    if isinstance(action_space, spaces.MultiDiscrete) and action_space.nvec.ndim == 1:
        return [int(n) for n in action_space.nvec]
    return None


def read_masks(
    given: Mapping[int, Any], sizes: Sequence[int], lengths: Sequence[int]
) -> NDArray[np.bool_]:
    """The masks of environments as one array, with a column for each value of each part.

    Args:
        given: What each environment says, by its id: 1 for what is allowed, otherwise 0.
        sizes: Of the parts of an action, whose masks follow one another.
        lengths: How many steps of its episode each environment of the pool has done.

    Raises:
        ArgumentError: A mask has a wrong type, shape or value, or allows nothing.
    """
    starts = np.cumsum([0, *sizes[:-1]])
    masks = np.empty((len(given), sum(sizes)), np.bool_)
    for row, (env_id, value) in zip(masks, given.items(), strict=True):
        mask = np.asarray(value)
        fault = ""
        if mask.shape != row.shape or mask.dtype.kind not in "biu":
            fault = f"is {shown(value)}, expected {len(row)} bools, or int8 of 0 and 1"
        elif mask.dtype != np.bool_ and not ((mask == 0) | (mask == 1)).all():
            fault = f"is {shown(value)}, expected 0 and 1 only"
        elif not np.logical_or.reduceat(mask, starts).all():
            fault = f"allows no action{'' if len(sizes) == 1 else ' of one of its parts'}"
        if fault:
            where = f"environment {env_id} after step {lengths[env_id]} of its episode"
            raise ArgumentError(f"{KEY} of {where} {fault}")
        row[:] = mask
    return masks
