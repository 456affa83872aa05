"""Values in recordings, as JSON, because nobody should read pickles of others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

RESET_OPTIONS = "options"  # the key of what reset_notes() encodes
_TUPLE, _ARRAY = "$tuple", "$array"
_KINDS = "biuf"  # of arrays
_CLASSES = (type(None), bool, int, float, str)

NO_NOTES: tuple[list[int | None], str, str] = ([], "", "")


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
    """Returns the value that :func:`to_plain` was given.

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
        array = np.array(values, dtype).reshape(shape)
        return array[()] if is_number else array
    return {key: from_plain(item) for key, item in plain.items()}


def reset_notes(
    seeds: Sequence[int | None], options: dict[str, Any] | None
) -> tuple[list[int | None], str, str]:
    """A reset's note in a recording: seeds, options as JSON, or why they cannot be that."""
    if options is None:
        return list(seeds), "", ""
    try:
        return list(seeds), json.dumps({RESET_OPTIONS: to_plain(options)}), ""
    except TypeError as error:
        return list(seeds), "", f"the options of its reset have {error}"
