"""Gymnasium's spaces in words."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

# Stretches of elements with bounds of their own that are spelled out.
_MOST_STRETCHES = 40


def summary(space: spaces.Space[Any]) -> str:
    """Name a space and its shape, or the spaces inside it."""
    match space:
        case spaces.Box() | spaces.MultiDiscrete():
            return f"{type(space).__name__}{space.shape}"
        case spaces.Dict():
            return f"Dict({', '.join(space)})"
        case spaces.Tuple():
            return f"Tuple({', '.join(summary(inner) for inner in space)})"
        case _:
            return str(space)


def description(space: spaces.Space[Any]) -> list[str]:
    """Put a space in lines, with the spaces inside it and the bounds of each element."""
    match space:
        case spaces.Box() | spaces.MultiDiscrete():
            return _array_lines(space)
        case spaces.Dict():
            return ["Dict", *_inner_lines(space.items())]
        case spaces.Tuple():
            return ["Tuple", *_inner_lines(enumerate(space))]
        case _:
            return [str(space)]


def _inner_lines(items: Iterable[tuple[Any, spaces.Space[Any]]]) -> Iterator[str]:
    for key, space in items:
        first, *others = description(space)
        yield f"  {key}: {first}"
        yield from (f"  {line}" for line in others)


def _array_lines(space: spaces.Box | spaces.MultiDiscrete) -> list[str]:
    """Write one line if all elements have the same bounds, else one more for each stretch."""
    name = f"{summary(space)} {space.dtype}"
    low, high = _flat_bounds(space)
    stretches = _stretches(low, high)
    if len(stretches) == 1:
        return [f"{name} in {_interval(low[0], high[0])}"]
    shown = stretches[:_MOST_STRETCHES]
    labels = [_label(space, start, stop) for start, stop in shown]
    width = max(map(len, labels), default=0)
    lines = [
        f"  {label:<{width}}  in {_interval(low[start], high[start])}"
        for label, (start, _) in zip(labels, shown, strict=True)
    ]
    if len(stretches) > len(shown):
        lines.append(f"  ... and {low.size - shown[-1][1]} more elements")
    return [name, *lines]


def _stretches(low: NDArray[Any], high: NDArray[Any]) -> list[tuple[int, int]]:
    """Find the stretches of equal bounds: the first element of each and the one after its last."""
    is_change = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    edges = [0, *(int(index) + 1 for index in np.flatnonzero(is_change)), low.size]
    return list(itertools.pairwise(edges)) if low.size else []


def _label(space: spaces.Space[Any], start: int, stop: int) -> str:
    """Name elements as Python would index them."""
    index = f"{start}" if stop == start + 1 else f"{start}:{stop}"
    return index if len(space.shape or ()) == 1 else f"flat {index}"


def _flat_bounds(space: spaces.Box | spaces.MultiDiscrete) -> tuple[NDArray[Any], NDArray[Any]]:
    if isinstance(space, spaces.MultiDiscrete):
        return space.start.ravel(), (space.start + space.nvec - 1).ravel()
    return space.low.ravel(), space.high.ravel()


def _interval(low: np.generic, high: np.generic) -> str:
    return f"[{_number(low)}, {_number(high)}]"


def _number(value: np.generic) -> str:
    return f"{value:.6g}" if value.dtype.kind == "f" else str(value)
