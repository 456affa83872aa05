"""highway-env's ``config`` as options: dicts in it become options with a prefix."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from envpool.errors import did_you_mean, shown

# A dict of config replaces the whole dict of the environment's defaults: what it does not have is
# what the classes of observations and actions have.
_OBSERVATION: dict[str, Any] = {
    "features": [],
    "vehicles_count": 5,
    "features_range_x": [],
    "features_range_y": [],
    "features_range_vx": [],
    "features_range_vy": [],
    "absolute": False,
    "order": "sorted",
    "normalize": True,
    "clip": True,
    "see_behind": False,
    "observe_intentions": False,
    "include_obstacles": True,
    "horizon": 10,
    "grid_size": [-27.5, 27.5, -27.5, 27.5],
    "grid_step": [5.0, 5.0],
    "align_to_vehicle_axes": False,
}
_ACTION: dict[str, Any] = {
    "longitudinal": True,
    "lateral": True,
    "target_speeds": [20.0, 25.0, 30.0],
    "acceleration_range": [-5.0, 5.0],
    "steering_range": [-math.pi / 4, math.pi / 4],
    "speed_range": [],
    "dynamical": False,
    "clip": True,
    "actions_per_axis": 3,
}
_DICTS = {"observation": _OBSERVATION, "action": _ACTION}
_RANGES = "features_range"
# What upstream's classes take and do not look at.
_IGNORED = ("flatten",)


def flattened(config: Any, has_players: bool) -> dict[str, Any]:
    """Options by our names.

    Args:
        config: By upstream's names: a dict that may have the dicts ``observation`` and ``action``.
            For several players these are a ``MultiAgentObservation`` and a ``MultiAgentAction``.
        has_players: Are there several?

    Raises:
        TypeError: It is no such dict, or has an unknown entry.
    """
    options: dict[str, Any] = {}
    for key, value in _dict("config", config).items():
        if key in _DICTS:
            options |= _nested(key, _dict(f"config[{key!r}]", value), has_players)
        else:
            options[key] = value
    return options


def _dict(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TypeError(f"{name} is {shown(value)}, expected a dict by names")
    return value


def _nested(kind: str, given: Mapping[str, Any], has_players: bool) -> dict[str, Any]:
    """The options of a dict of observations or actions."""
    entries = dict(given)
    options: dict[str, Any] = {}
    if has_players:
        if not str(entries.get("type", "")).startswith("MultiAgent"):
            raise TypeError(
                f"config[{kind!r}] has the type {shown(entries.get('type'))}, expected "
                f"'MultiAgent{kind.capitalize()}', as there are several players"
            )
        inner = f"{kind}_config"
        entries = dict(_dict(f"config[{kind!r}][{inner!r}]", entries.get(inner)))
    if "type" not in entries:
        raise TypeError(f"config[{kind!r}] has no type, expected one beside its other entries")
    options[f"{kind}_type"] = entries.pop("type")
    for feature, ends in _dict(_RANGES, entries.pop(_RANGES, None) or {}).items():
        entries[f"{_RANGES}_{feature}"] = ends
    known = _DICTS[kind]
    values = dict(known)
    for name, value in entries.items():
        if name in _IGNORED or (kind == "action" and name == "target_speeds" and value is None):
            continue
        if name not in known:
            hint = did_you_mean(name, known)
            raise TypeError(f"config[{kind!r}] has the unknown entry {shown(name)}{hint}")
        if value is not None:
            values[name] = np.ravel(value).tolist() if name == "grid_size" else value
    return options | {f"{kind}_{name}": value for name, value in values.items()}
