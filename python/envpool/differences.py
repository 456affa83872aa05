"""The first place where two results are not the same in type, order, dtype, shape or bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool.errors import shown


class Difference(NamedTuple):
    """The place where two results differ.

    Attributes:
        path: The entry, such as ``info['x'][2]``; of an array with the element.
        ours: What we have there, in words.
        theirs: What should be there.
        others: How many more elements of the array differ.
    """

    path: str
    ours: str
    theirs: str
    others: int = 0

    def __str__(self) -> str:
        more = f" ({self.others} more elements differ)" if self.others else ""
        return f"{self.path} is {self.ours}, expected {self.theirs}{more}"


def first_difference(ours: Any, theirs: Any, path: str = "result") -> Difference | None:
    """Compares nested tuples, lists and dicts of arrays, also of objects, and of other values.

    Args:
        ours: What is.
        theirs: What should be.
        path: What it is called.

    Returns:
        The first difference, or None if everything is the same, the order of keys included.
    """
    if type(ours) is not type(theirs):
        return _differing(path, ours, theirs, lambda x: f"{shown(x)}, of {type(x).__name__}")
    if isinstance(ours, dict | tuple | list):
        return _of_containers(ours, theirs, path)
    if hasattr(ours, "__array__"):  # arrays and tensors of other libraries, too
        return _of_arrays(ours, theirs, path)
    if isinstance(ours, float) and math.isnan(ours) and math.isnan(theirs):
        return None
    return None if ours == theirs else _differing(path, ours, theirs, shown)


def _differing(path: str, ours: Any, theirs: Any, describe: Callable[[Any], str]) -> Difference:
    return Difference(path, describe(ours), describe(theirs))


def _of_containers(ours: Any, theirs: Any, path: str) -> Difference | None:
    if isinstance(ours, dict):
        if list(ours) != list(theirs):
            return _differing(path, ours, theirs, lambda x: f"a dict of {', '.join(map(str, x))}")
        return _first([(ours[key], theirs[key], f"{path}[{key!r}]") for key in ours])
    if len(ours) != len(theirs):
        return _differing(path, ours, theirs, lambda x: f"{len(x)} entries")
    pairs = enumerate(zip(ours, theirs, strict=True))
    return _first([(*pair, f"{path}[{i}]") for i, pair in pairs])


def _first(parts: list[tuple[Any, Any, str]]) -> Difference | None:
    return next((found for part in parts if (found := first_difference(*part))), None)


def _of_arrays(ours: Any, theirs: Any, path: str) -> Difference | None:
    for name in ("dtype", "shape"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if mine != other:
            return Difference(path, f"an array of {name} {mine}", f"one of {name} {other}")
    if ours.dtype == object:
        return first_difference(ours.ravel().tolist(), theirs.ravel().tolist(), path)
    return _of_numbers(np.asarray(ours), np.asarray(theirs), path)


def _of_numbers(ours: NDArray[Any], theirs: NDArray[Any], path: str) -> Difference | None:
    if ours.tobytes() == theirs.tobytes():
        return None
    differing = different_elements(ours, theirs)
    index = tuple(int(i) for i in np.argwhere(differing)[0])
    place: Any = (*index, ...)  # an array of shape (), whose bytes are those
    texts = apart(ours[place], theirs[place])
    return Difference(f"{path}{element(index)}", *texts, others=int(differing.sum()) - 1)


def element(index: tuple[Any, ...]) -> str:
    """The index of an element, as it is written behind a name."""
    return f"[{', '.join(map(str, index))}]" if index else ""


def different_elements(ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.bool_]:
    """True for elements that have other bytes; those of NaN count as well."""
    first, second = (
        np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(ours.size, ours.itemsize)
        for array in (ours, theirs)
    )
    differs: NDArray[np.bool_] = (first != second).any(axis=1)
    return differs.reshape(ours.shape)


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
