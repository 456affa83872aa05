"""Levels: what callers give for the beginnings of episodes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from envpool.errors import ArgumentError, shown
from envpool.schedules import Episode
from envpool.spec.values import check_seed

Level: TypeAlias = int | Mapping[str, Any] | Episode


def as_episode(level: Level, name: str = "level") -> Episode:
    """Returns the episode that plays a level.

    Args:
        level: A seed, a mapping of reset options, or an episode.
        name: What messages call it.

    Raises:
        TypeError: It is none of these.
        ArgumentError: The seed is negative, or has more than 64 bits (also a ValueError).
    """
    if isinstance(level, Episode):
        return level
    if isinstance(level, Mapping):
        return Episode(options=dict(level))
    if isinstance(level, bool) or not isinstance(level, int | np.integer):
        raise TypeError(
            f"{name} is {shown(level)}, expected a seed, a dict of reset options or an Episode"
        )
    return Episode(seed=check_seed(level, name))


def checked_levels(levels: Iterable[Level]) -> Sequence[Level]:
    """Returns the levels that a caller gave, at least one, as a sequence.

    Args:
        levels: Of any length, if they are a range.

    Raises:
        TypeError: They are not levels.
        ArgumentError: There are none, or a seed is not allowed.
    """
    if not isinstance(levels, Iterable) or isinstance(levels, str | bytes | Mapping):
        raise TypeError(f"levels is {shown(levels)}, expected a list of levels")
    found = levels if isinstance(levels, range) else list(levels)
    if not found:
        raise ArgumentError("levels is empty, expected at least one")
    # All numbers of a range are between its ends.
    for i in (0, len(found) - 1) if isinstance(found, range) else range(len(found)):
        as_episode(found[i], f"levels[{i}]")
    return found


def checked_number(
    name: str, value: Any, least: float = 0.0, most: float = math.inf, *, positive: bool = False
) -> float:
    """Returns a finite number as a float.

    Args:
        name: What messages call it.
        value: What the caller gave.
        least: The least that it may be.
        most: The most that it may be.
        positive: True if it must not be 0, either.

    Raises:
        TypeError: It is not a number.
        ArgumentError: It is out of bounds.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} is {shown(value)}, expected a number")
    allowed = math.isfinite(value) and least <= value <= most
    if not allowed or (positive and value == 0):
        above = "<" if positive or math.isinf(least) else "<="
        below = "<" if math.isinf(most) else "<="
        raise ArgumentError(
            f"{name} is {shown(value)}, expected {least:g} {above} {name} {below} {most:g}"
        )
    return float(value)
