"""dm_env's specs of arrays, and the named tuples that its observations are."""

from __future__ import annotations

import keyword
import re
from collections import namedtuple
from typing import Any

import numpy as np

from envpool.spec.spaces import Field, bounds


def dm_spec(field: Field) -> Any:
    """dm_env's spec of one environment's (or one player's) array."""
    from dm_env import specs

    low, high = bounds(field)
    dtype = np.dtype(field["dtype"])
    if field["space"] == "discrete" and int(low) == 0:
        return specs.DiscreteArray(int(high) + 1, dtype=dtype, name=field["name"])
    return specs.BoundedArray(field["shape"], dtype, low, high, name=field["name"])


def identifier(name: str) -> str:
    """The name with everything replaced that a named tuple's field cannot have."""
    plain = re.sub(r"\W", "_", name)
    return f"{plain}_" if keyword.iskeyword(plain) or not plain.isidentifier() else plain


class NestedTuple:
    """Turns nested dicts with certain keys into nested named tuples.

    dm_env's users read ``timestep.observation.obs``.

    Args:
        name: The name of the outermost named tuple type.
        template: A dict with the keys, and dicts where others are nested.
    """

    def __init__(self, name: str, template: dict[str, Any]) -> None:
        fields = [identifier(key) for key in template]
        self.type: Any = namedtuple(name, fields)  # type: ignore[misc]
        self._inner = {
            key: NestedTuple(identifier(key), value)
            for key, value in template.items()
            if isinstance(value, dict)
        }

    def build(self, values: dict[str, Any]) -> Any:
        """The named tuple of these values, whose keys come in the template's order."""
        inner = self._inner
        return self.type(
            *(inner[key].build(value) if key in inner else value for key, value in values.items())
        )
