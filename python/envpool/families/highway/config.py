"""highway-env's ``config`` as options: dicts in it become options with a prefix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from envpool.errors import did_you_mean, shown

_KINDS = ("observation", "action")
_RANGES = "features_range"
# What upstream's classes take and do not look at.
_IGNORED = ("flatten",)


def flattened(config: Any, has_players: bool) -> dict[str, Any]:
    """Options by our names.

    Args:
        config: By upstream's names: a dict that may have the dicts ``observation`` and ``action``.
            For several players these are a ``MultiAgentObservation`` and a ``MultiAgentAction``.
        has_players: True if there are several.

    Raises:
        TypeError: It is no such dict, or has an unknown entry.
    """
    options: dict[str, Any] = {}
    for key, value in _dict("config", config).items():
        if key in _KINDS:
            options |= _nested(key, _dict(f"config[{key!r}]", value), has_players)
        else:
            options[key] = value
    return options


def _dict(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TypeError(f"{name} is {shown(value)}, expected a dict by names")
    return value


def _class_defaults(kind: str) -> dict[str, Any]:
    """What upstream's classes of observations or actions have unless they are told otherwise.

    That is what Highway has, which tells them nothing.
    """
    from envpool.families import highway

    known, prefix = highway.HighwayEnvSpec.known, f"{kind}_"
    return {
        name.removeprefix(prefix): known.defaults[name]
        for name in known.own
        if name.startswith(prefix) and name != f"{kind}_type"
    }


def _nested(kind: str, given: Mapping[str, Any], has_players: bool) -> dict[str, Any]:
    """The options of a dict of observations or actions, which replaces that of the environment."""
    entries = dict(given)
    options: dict[str, Any] = {}
    if has_players:
        inner = f"{kind}_config"
        _check_of_players(kind, entries, inner)
        entries = dict(_dict(f"config[{kind!r}][{inner!r}]", entries[inner]))
    if "type" not in entries:
        raise TypeError(f"config[{kind!r}] has no type, expected one beside its other entries")
    type_name = options[f"{kind}_type"] = entries.pop("type")
    if type_name == f"MultiAgent{kind.capitalize()}":
        raise TypeError(
            f"config[{kind!r}] has the type {shown(type_name)}, expected one of one player: "
            "several have the tasks whose ids begin with intersection-multi-agent"
        )
    ranges = f"config[{kind!r}][{_RANGES!r}]"
    for feature, ends in _dict(ranges, entries.pop(_RANGES, None) or {}).items():
        entries[f"{_RANGES}_{feature}"] = ends
    values = _class_defaults(kind)
    for name, value in entries.items():
        if name in _IGNORED or (kind == "action" and name == "target_speeds" and value is None):
            continue
        if name not in values:
            hint = did_you_mean(name, values)
            raise TypeError(f"config[{kind!r}] has the unknown entry {shown(name)}{hint}")
        if value is not None:
            values[name] = _grid_size(value) if name == "grid_size" else value
    return options | {f"{kind}_{name}": value for name, value in values.items()}


def _check_of_players(kind: str, entries: dict[str, Any], inner: str) -> None:
    expected = {"type": f"MultiAgent{kind.capitalize()}", inner: "..."}
    if entries.get("type") != expected["type"] or entries.keys() != expected.keys():
        raise TypeError(
            f"config[{kind!r}] is {shown(entries)}, expected {expected}, as there are several "
            "players"
        )


def _grid_size(value: Any) -> list[Any]:
    """The ends along x and y, one after the other."""
    try:
        return np.array(value, dtype=float).ravel().tolist()
    except (TypeError, ValueError):
        raise TypeError(
            f"config['observation']['grid_size'] is {shown(value)}, expected two pairs of numbers"
        ) from None
