"""Auto-reset modes: what follows the end of an episode."""

from __future__ import annotations

from enum import Enum
from typing import Any

from envpool.errors import ArgumentError, shown

__all__ = ["AutoresetMode", "parse_mode"]

try:
    from gymnasium.vector import AutoresetMode
except ImportError:  # Gymnasium < 1.1

    class AutoresetMode(Enum):  # type: ignore[no-redef]
        """The modes and names that later versions of Gymnasium have."""

        NEXT_STEP = "NextStep"
        SAME_STEP = "SameStep"
        DISABLED = "Disabled"


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
