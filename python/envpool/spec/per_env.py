"""Options with a value for each environment."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool.errors import ArgumentError


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def is_per_env(name: str, value: Any, default: Any, num_envs: int) -> bool:
    """Is this a list with an option's value for each environment?

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
