"""Where what environments returned differs, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.testing.probe import Event


def where(env: int, number: int, events: Sequence[Event]) -> str:
    """Names an event: the environment, how many it had before, and the step of the episode."""
    event = events[number]
    if event.is_reset:
        return f"environment {env}, result {number} (a reset)"
    step = int(event.columns["@elapsed_step"])
    return f"environment {env}, result {number} (step {step} of its episode)"


def shown_column(name: str) -> str:
    """A column as an author calls it."""
    return name.removeprefix("@").replace("obs.", "observation ", 1).replace("info.", "info ", 1)


def element(index: tuple[Any, ...]) -> str:
    """The index of an element, as it is written behind a name."""
    return f"[{', '.join(map(str, index))}]" if index else ""


def different_elements(ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.bool_]:
    """Which elements have other bytes; those of NaN count as well."""
    pairs = (np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in (ours, theirs))
    first, second = (raw.reshape(ours.size, ours.itemsize) for raw in pairs)
    differs: NDArray[np.bool_] = (first != second).any(axis=1)
    return differs.reshape(ours.shape)


def first_difference(
    ours: Iterable[Sequence[Event]], theirs: Iterable[Sequence[Event]]
) -> str | None:
    """The earliest result in which environments differ, or None if all that both have are equal.

    Args:
        ours: The events of each environment.
        theirs: What they should be.
    """
    earliest: tuple[int, str] | None = None
    for env, (mine, other) in enumerate(zip(ours, theirs, strict=False)):
        for number, (event, expected) in enumerate(zip(mine, other, strict=False)):
            if earliest is not None and number >= earliest[0]:
                break
            difference = _difference(event, expected)
            if difference:
                earliest = number, f"{where(env, number, mine)}: {difference}"
    return earliest[1] if earliest else None


def _difference(event: Event, expected: Event) -> str:
    if event.is_reset != expected.is_reset:
        kinds = ("a step", "a reset")
        return f"it is {kinds[event.is_reset]}, expected {kinds[expected.is_reset]}"
    return next(_different_columns(event, expected), "")


def _different_columns(event: Event, expected: Event) -> Iterator[str]:
    for name, theirs in expected.columns.items():
        ours = event.columns[name]
        if ours.shape != theirs.shape:
            players = f"{shown_column(name)} has {len(ours)} rows, expected {len(theirs)}"
            yield f"{players}, one per player"
        elif ours.tobytes() != theirs.tobytes():
            differing = different_elements(np.asarray(ours), np.asarray(theirs))
            index = tuple(int(i) for i in np.argwhere(differing)[0])
            others = int(differing.sum()) - 1
            more = f" ({others} more elements differ)" if others else ""
            place: Any = (*index, ...)  # an array of shape (), whose bytes are those
            ours_text, theirs_text = apart(ours[place], theirs[place])
            yield (
                f"{shown_column(name)}{element(index)} is {ours_text}, expected {theirs_text}{more}"
            )


def apart(ours: NDArray[Any], theirs: NDArray[Any]) -> tuple[str, str]:
    """Two different numbers in words; those that are written alike also with their bytes.

    Args:
        ours: An array of shape ().
        theirs: Another one.
    """
    first, second = str(ours), str(theirs)
    if first == second:  # such as bools, of which all bytes but 0 mean True
        first, second = (f"{value} (0x{value.tobytes().hex()})" for value in (ours, theirs))
    return first, second
