"""NumPy's numbers and arrays in a form that pickles many times quicker."""

from __future__ import annotations

from typing import Any

import numpy as np

# Types of scalars that Python's numbers hold exactly, and their names.
_TYPES = {char: np.dtype(char).type for char in "?bBhHiIlLqQefd"}
_SCALARS = {kind: char for char, kind in _TYPES.items()}
_ARRAYS = frozenset("biufc")  # kinds of their dtypes

# For the keys of a dict what their values were: a scalar's type, or an array's dtype and shape.
Forms = dict[str, str | tuple[str, tuple[int, ...]]]


def flatten(values: dict[str, Any]) -> tuple[dict[str, Any], Forms]:
    """A dict without NumPy's numbers and arrays among its values, and which were some.

    Args:
        values: The dict, which stays as it is. What is nested deeper is not looked at.
    """
    forms: Forms = {}
    flat = values
    for key, value in values.items():
        kind = type(value)
        if kind in _SCALARS:
            forms[key] = _SCALARS[kind]
            plain: Any = value.item()
        elif kind is np.ndarray and _is_plain(value):
            forms[key] = (value.dtype.str, value.shape)
            plain = value.tobytes()
        else:
            continue
        if flat is values:
            flat = values.copy()
        flat[key] = plain
    return flat, forms


def restore(flat: dict[str, Any], forms: Forms) -> dict[str, Any]:
    """The dict that :func:`flatten` was given; its arrays are new ones."""
    for key, form in forms.items():
        if isinstance(form, str):
            flat[key] = _TYPES[form](flat[key])
        else:
            dtype, shape = form
            flat[key] = np.frombuffer(bytearray(flat[key]), dtype).reshape(shape)
    return flat


def _is_plain(array: np.ndarray[Any, Any]) -> bool:
    return array.dtype.kind in _ARRAYS and array.flags.c_contiguous and array.size > 0
