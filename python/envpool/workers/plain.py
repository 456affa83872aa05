"""Values as JSON and back: what a recording keeps of arguments, which it must not have as pickles.

Lists, dicts, texts, numbers, bools and None are themselves. Tuples, and NumPy's arrays and numbers,
are dicts with one key that says what they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_TUPLE, _ARRAY = "$tuple", "$array"
_KINDS = "biuf"  # of arrays
_CLASSES = (type(None), bool, int, float, str)


def to_plain(value: Any) -> Any:
    """The value of dicts, lists, texts, numbers, bools and None.

    Raises:
        TypeError: A part is something else; the message says what.
    """
    if type(value) in _CLASSES:
        return value
    if type(value) is list:
        return [to_plain(item) for item in value]
    if type(value) is tuple:
        return {_TUPLE: [to_plain(item) for item in value]}
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in _KINDS:
        values = np.ravel(value).tolist()
        return {_ARRAY: [value.dtype.str, isinstance(value, np.generic), value.shape, values]}
    if type(value) is dict and all(type(key) is str and key[:1] != "$" for key in value):
        return {key: to_plain(item) for key, item in value.items()}
    raise TypeError(f"a {type(value).__name__}")


def from_plain(plain: Any) -> Any:
    """What :func:`to_plain` was given.

    Raises:
        ValueError, TypeError: It was given nothing like that.
    """
    if isinstance(plain, list):
        return [from_plain(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    if set(plain) == {_TUPLE}:
        return tuple(from_plain(item) for item in plain[_TUPLE])
    if set(plain) == {_ARRAY}:
        dtype, is_number, shape, values = plain[_ARRAY]
        array = np.array(values, _dtype(dtype)).reshape(shape)
        return array[()] if is_number else array
    return {key: from_plain(item) for key, item in plain.items()}


def _dtype(text: Any) -> np.dtype[Any]:
    dtype = np.dtype(str(text))
    if dtype.kind not in _KINDS:
        raise ValueError(f"an array of {dtype}")
    return dtype
