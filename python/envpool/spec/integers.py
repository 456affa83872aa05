"""Numbers that callers give."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool.errors import ArgumentError, shown
from envpool.spec.config import INT_MAX


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
