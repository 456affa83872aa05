"""Gymnasium's spaces of what JAX's functions return, and of what packages call spaces."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from gymnasium import spaces


def space_of(array: Any) -> Any:
    """The space of arrays of this shape and type, whatever their values.

    Args:
        array: One of them, or its shape and type; or a dict of these.
    """
    if isinstance(array, dict):
        return spaces.Dict({name: space_of(part) for name, part in array.items()})
    dtype = np.dtype(array.dtype)
    low, high = (0, 1) if dtype == np.bool_ else (-np.inf, np.inf)
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    return spaces.Box(low, high, array.shape, dtype.type)


def plain_names(infos: dict[str, Any]) -> dict[str, Any]:
    """Infos with ``_`` in the place of ``/`` in their names."""
    return {name.replace("/", "_"): value for name, value in infos.items()}


def fitting(space: Any, observation: Any) -> Any:
    """A package's space, in the type and shape that observations really have.

    Args:
        space: The space.
        observation: An observation, or its shape and type.
    """
    given = to_gymnasium(space)
    if given.shape != observation.shape or given.dtype != observation.dtype:
        return space_of(observation)
    return given


def to_gymnasium(space: Any) -> spaces.Space[Any]:
    """The same as one of gymnax's, Craftax's or JaxMARL's spaces.

    Raises:
        TypeError: There is none.
    """
    match type(space).__name__:
        case "Discrete":
            return spaces.Discrete(int(space.n))
        case "MultiDiscrete":
            return spaces.MultiDiscrete(np.asarray(space.num_categories))
        case "Box":
            dtype = np.dtype(space.dtype)
            low, high = (
                np.broadcast_to(np.asarray(bound, dtype), space.shape)
                for bound in (space.low, space.high)
            )
            return spaces.Box(low, high, space.shape, dtype.type)
        case "Dict":
            return spaces.Dict({key: to_gymnasium(part) for key, part in space.spaces.items()})
        case "Tuple":
            return spaces.Tuple([to_gymnasium(part) for part in space.spaces])
    raise TypeError(f"there is no such space in Gymnasium: {space}")


def to_dicts(value: Any) -> Any:
    """A tree with dicts in the place of named tuples and data classes."""
    if hasattr(value, "_asdict"):
        return {key: to_dicts(part) for key, part in value._asdict().items()}
    if dataclasses.is_dataclass(value):
        return {key: to_dicts(part) for key, part in vars(value).items()}
    return value
