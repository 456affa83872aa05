"""Event: what an environment returned; and the first one in which two environments differ."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool import differences

Columns = dict[str, NDArray[Any]]


class Event(NamedTuple):
    """An environment's result of a reset or a step: its own rows of all columns."""

    is_reset: bool
    columns: Columns

    @property
    def is_end(self) -> bool:
        """True if the episode has ended."""
        return bool(self.columns["@terminated"] | self.columns["@truncated"])


def where(env: int, number: int, event: Event) -> str:
    """Names an event: the environment, how many it had before, and the step of the episode."""
    if event.is_reset:
        return f"environment {env}, result {number} (a reset)"
    step = int(event.columns["@elapsed_step"])
    return f"environment {env}, result {number} (step {step} of its episode)"


def shown_column(name: str) -> str:
    """A column as an author calls it."""
    return name.removeprefix("@").replace("obs.", "observation ", 1).replace("info.", "info ", 1)


def first_difference(
    ours: Sequence[Sequence[Event]], theirs: Sequence[Sequence[Event]], circumstances: str = ""
) -> str | None:
    """The earliest result in which environments differ, or None if all that both have are equal.

    Args:
        ours: The events of each environment.
        theirs: What they should be.
        circumstances: Those of ours, in words.
    """
    pairs = [zip(mine, other, strict=False) for mine, other in zip(ours, theirs, strict=False)]
    for number, row in enumerate(itertools.zip_longest(*pairs)):
        for env, pair in enumerate(row):
            if pair and (difference := _difference(*pair)):
                note = f" ({circumstances})" if circumstances else ""
                return f"{where(env, number, pair[0])}: {difference}{note}"
    return None


def _difference(event: Event, expected: Event) -> str:
    if event.is_reset != expected.is_reset:
        kinds = ("a step", "a reset")
        return f"it is {kinds[event.is_reset]}, expected {kinds[expected.is_reset]}"
    for name, theirs in expected.columns.items():
        ours, column = event.columns[name], shown_column(name)
        if isinstance(theirs, np.ndarray) and np.shape(ours) != theirs.shape:
            return f"{column} has {len(ours)} rows, expected {len(theirs)}, one per player"
        if difference := differences.first_difference(ours, theirs, column):
            return str(difference)
    return ""
