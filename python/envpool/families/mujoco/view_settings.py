"""Options of pictures that are dicts, in the form that native code takes."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from envpool.errors import shown

_NAMES = ("default_camera_config", "visual_options")


def view_settings(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """The options of pictures that are dicts of numbers, as lists of texts.

    Args:
        options: Values by name, as the caller gave them.

    Raises:
        TypeError: One of them is no dict of numbers.
    """
    return {name: _settings(name, options[name]) for name in _NAMES}


def _index(value: Any) -> Any:
    """An integer instead of one of MuJoCo's enumerations, say; other values as they are."""
    try:
        return operator.index(value)
    except TypeError:
        return value


def _settings(name: str, values: Any) -> list[str]:
    """A dict of numbers, or sequences of numbers, as ``["key=1.0", "other=0.0,1.0"]``."""
    if values is None:
        return []
    if isinstance(values, list) and all(isinstance(entry, str) for entry in values):
        return values  # are settings already
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} is {shown(values)}, expected a dict of numbers")
    settings = []
    for key, value in values.items():
        numbers = np.atleast_1d(np.asarray(_index(value)))
        if numbers.dtype.kind not in "biuf" or numbers.ndim > 1:
            raise TypeError(f"{name}[{shown(key)}] is {shown(value)}, expected numbers")
        settings.append(f"{_index(key)}={','.join(repr(float(number)) for number in numbers)}")
    return settings
