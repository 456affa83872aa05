"""ToyTextEnvSpec: where the toy_text tasks are otherwise in EnvPool and in Gymnasium."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from envpool.errors import ArgumentError, shown
from envpool.spec.env_spec import EnvSpec
from envpool.spec.infos import InfoRules, InfoTable
from envpool.spec.option_values import KnownOptions
from envpool.spec.spaces import Spaces

_MOST_TILES = 2**24  # of a map of one's own
_SIZES = {"4x4": 4, "8x8": 8}  # of Gymnasium's maps of the frozen lake
# EnvPool's probability is a float32, and Gymnasium's a float64.
_PROBABILITY = InfoRules(
    only_envpool=("prob_float32",),
    only_gymnasium=("prob",),
    renamed={"prob_float32": "prob"},
    python_floats=("prob",),
)
INFOS: InfoTable = {
    "CliffWalking": replace(_PROBABILITY, integer_at_reset=("prob",)),
    "FrozenLake": InfoRules(
        only_gymnasium=("prob",), integer_at_reset=("prob",), python_floats=("prob",)
    ),
    "Taxi": _PROBABILITY,
}


class ToyTextOptions(KnownOptions):
    """Options that also have Gymnasium's names."""

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`.

        Args:
            kwargs: Values of options.

        Raises:
            TypeError: Two names of an option of all tasks have different values.
            ValueError: ``size`` and ``map_name`` are of different maps.
        """
        kwargs = super().own_names(kwargs)
        if "desc" in kwargs:
            kwargs["desc"] = _map_or_maps(kwargs["desc"])
        name = kwargs.get("map_name")
        if "map_name" not in self.defaults or not isinstance(name, str) or name not in _SIZES:
            return kwargs
        if kwargs.setdefault("size", _SIZES[name]) != _SIZES[name]:
            raise ValueError(
                f"map_name is {name!r} and size is {shown(kwargs['size'])}, "
                "expected one of them: they are the same option"
            )
        return kwargs

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            ValueError: ``map_name`` is None and there is no ``desc``, or that is too large.
        """
        if "desc" not in options:
            return options
        # A change by set_attr comes here without own_names.
        desc = [] if options["desc"] is None else _map_or_maps(options["desc"])
        _check_size(desc)
        name = options["map_name"]
        if name is None:
            if len(desc) == 0:
                raise ValueError(
                    "map_name is None and there is no desc, expected one of them: Gymnasium draws "
                    "a random map there, which no seed brings back; "
                    "give desc=generate_random_map(seed=...) instead"
                )
            name = ""
        return options | {"desc": desc, "map_name": name}


class ToyTextSpaces(Spaces):
    """Spaces with Blackjack's observation as a tuple in Gymnasium's own API."""

    @cached_property
    def strict_observation(self) -> spaces.Space[Any]:
        """See :attr:`Spaces.strict_observation`."""
        if self.options.known.name == "Blackjack":
            return spaces.Tuple([spaces.Discrete(n) for n in (32, 11, 2)])
        return self.observation


class ToyTextEnvSpec(EnvSpec):
    """An :class:`EnvSpec` that also takes Gymnasium's names of options.

    In EnvPool's dialect Blackjack's observation is an int32 array of shape ``(3,)``, in Gymnasium's
    own API a tuple of three numbers.
    """

    known_class = ToyTextOptions
    spaces_class = ToyTextSpaces


def _check_size(desc: Any) -> None:
    """Refuses a map that is too large; its rows may be the same string many times."""
    tiles = sum(len(row) for row in desc if isinstance(row, str)) if isinstance(desc, list) else 0
    if tiles > _MOST_TILES:
        raise ArgumentError(f"desc has {tiles} tiles, expected at most {_MOST_TILES}")


def _map_or_maps(desc: Any, may_be_maps: bool = True) -> Any:
    """A map's rows as strings, or such a list for each environment, in all forms Gymnasium takes.

    Those are strings or bytes, lists of single characters, and arrays of these. What is no map is
    returned as it is, to be refused like a wrong value of any other option.
    """
    if isinstance(desc, np.ndarray):
        desc = desc.tolist()
    if not isinstance(desc, list | tuple):
        return desc
    rows = [_row(row) for row in desc]
    if all(isinstance(row, str) for row in rows):
        return rows
    return [_map_or_maps(row, False) for row in desc] if may_be_maps else desc


def _row(row: Any) -> Any:
    """A row of a map as a string, if it is one."""
    row = _text(row)
    if not isinstance(row, list | tuple):
        return row
    tiles = [_text(tile) for tile in row]
    is_row = bool(tiles) and all(isinstance(tile, str) and len(tile) == 1 for tile in tiles)
    return "".join(tiles) if is_row else row


def _text(value: Any) -> Any:
    """Bytes as a string, and arrays as lists; other values as they are."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
