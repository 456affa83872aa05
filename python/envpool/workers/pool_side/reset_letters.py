"""Letters of what resets are called with, and of what chosen episodes begin with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from envpool.errors import ArgumentError
from envpool.spec.plain import reset_notes


def reset_letter(write: Callable[[Any], bytes], seed: int | None, options: Any) -> bytes:
    """What a worker calls an environment's reset with, as a letter."""
    try:
        return write({"seed": seed, "options": options})
    except Exception as error:
        error.add_note(
            "options are pickled, because environments read them later, or in other processes"
        )
        raise


def choice_letter(
    write: Callable[[Any], bytes], records: bool, seed: int | None, options: Any, state: None
) -> tuple[bytes, str]:
    """A letter of what an episode begins with, and what a recording says of it.

    Raises:
        ArgumentError: That cannot be written down.
    """
    noted = ""
    if records:
        _, text, lost = reset_notes([seed], options)
        if lost:
            raise ArgumentError(f"what is recorded cannot be chosen: {lost}")
        noted = f"[{'null' if seed is None else seed}, {text or 'null'}]"
    return reset_letter(write, seed, options), noted
