"""dm_env's specs of arrays, and the named tuples that its observations are."""

from __future__ import annotations

import functools
import importlib
import keyword
import re
from collections import namedtuple
from types import ModuleType
from typing import Any

import numpy as np

from envpool.errors import install
from envpool.spec.spaces import Field, bounds, is_uniform


def import_dm_env(module: str = "dm_env") -> ModuleType:
    """A module of dm_env, which only those have who use ``env_type="dm"``.

    Raises:
        ImportError: It is not installed; the message says how to.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f'env_type "dm" needs dm_env, which does not load ({error}): {install("dm")}'
        ) from error


def dm_spec(field: Field) -> Any:
    """dm_env's spec of one environment's (or one player's) array."""
    specs = import_dm_env("dm_env.specs")
    low, high = bounds(field)
    dtype = np.dtype(field["dtype"])
    if field["space"] == "discrete" and int(low) == 0:
        return specs.DiscreteArray(int(high) + 1, dtype=dtype, name=field["name"])
    if is_uniform(low) and is_uniform(high):  # scalars, as EnvPool's are
        low, high = low.flat[0], high.flat[0]
    return specs.BoundedArray(field["shape"], dtype, low, high, name=field["name"])


def identifier(name: str) -> str:
    """The name with everything replaced that a named tuple's field cannot have."""
    plain = re.sub(r"\W", "_", name)
    return f"{plain}_" if keyword.iskeyword(plain) or not plain.isidentifier() else plain


@functools.cache
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """A type of named tuples that can be pickled, though no module has it."""
    plain: Any = namedtuple(name, fields)  # type: ignore[misc]
    return type(name, (plain,), {"__slots__": (), "__reduce__": _reduce})


def _reduce(values: Any) -> tuple[Any, ...]:
    return _rebuild, (type(values).__name__, values._fields, tuple(values))


def _rebuild(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return named_tuple(name, fields)(*values)


class NestedTuple:
    """Turns nested dicts with certain keys into nested named tuples.

    dm_env's users read ``timestep.observation.obs``.

    Args:
        name: The name of the outermost named tuple type.
        template: A dict with the keys, and dicts where others are nested.
    """

    def __init__(self, name: str, template: dict[str, Any]) -> None:
        self.type = named_tuple(name, tuple(identifier(key) for key in template))
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
