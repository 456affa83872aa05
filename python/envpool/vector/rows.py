"""Rows of some environments among those of all."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def spread_infos(
    infos: dict[str, Any], env_ids: NDArray[np.int32], num_envs: int
) -> dict[str, Any]:
    """The infos of some environments with a row for each of all.

    Args:
        infos: Arrays with a row for each of ``env_ids``, in nested dicts.
        env_ids: The environments.
        num_envs: How many there are.

    Returns:
        The same with ``num_envs`` rows: 0 or None for the others.
    """
    spread: dict[str, Any] = {}
    for key, value in infos.items():
        if isinstance(value, dict):
            spread[key] = spread_infos(value, env_ids, num_envs)
            continue
        column = np.zeros((num_envs, *value.shape[1:]), value.dtype)
        if value.dtype == object:
            column.fill(None)
        column[env_ids] = value
        spread[key] = column
    return spread
