"""Action masks: what environments say of the actions that they allow."""

from __future__ import annotations

from collections.abc import Sequence
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
    given: Sequence[Any] | NDArray[Any], sizes: Sequence[int], lengths: Sequence[int]
) -> NDArray[np.bool_]:
    """The masks of environments as one array, with a column for each value of each part.

    Args:
        given: What each environment says: 1 for what is allowed, otherwise 0.
        sizes: Of the parts of an action, whose masks follow one another.
        lengths: How many steps of its episode each environment has done.

    Raises:
        ArgumentError: A mask has a wrong type, shape or value, or allows nothing.
    """
    arrays = [np.asarray(mask) for mask in given]
    for env_id, array in enumerate(arrays):
        if array.shape != (sum(sizes),) or array.dtype.kind not in "biu":
            what = f"{shown(given[env_id])}, expected {sum(sizes)} bools, or int8 of 0 and 1"
            raise _error(env_id, lengths, f"is {what}")
    masks = np.stack(arrays)
    if masks.dtype != np.bool_ and (is_odd := (masks < 0) | (masks > 1)).any():
        env_id = int(np.argmax(is_odd.any(1)))
        raise _error(env_id, lengths, f"is {shown(given[env_id])}, expected 0 and 1 only")
    masks = masks.astype(np.bool_)
    starts = np.cumsum([0, *sizes[:-1]])
    allows = np.logical_or.reduceat(masks, starts, axis=1).all(axis=1)
    if not allows.all():
        of_part = "" if len(sizes) == 1 else " of one of its parts"
        raise _error(int(np.argmin(allows)), lengths, f"allows no action{of_part}")
    return masks


def _error(env_id: int, lengths: Sequence[int], what: str) -> ArgumentError:
    return ArgumentError(
        f"{KEY} of environment {env_id} after step {lengths[env_id]} of its episode {what}"
    )
