"""Actions for environments written in Python, as callers of pools give them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.workers.spaces import SpaceLeaves

_IDS = ("env_id", "players.env_id")


def read_action(
    leaves: SpaceLeaves, action: Any, env_id: ArrayLike | None
) -> tuple[Any, ArrayLike | None]:
    """What a pool takes for a batch of actions, and the ids.

    Args:
        leaves: Those of the action space.
        action: The batch, or a dict that has it, or its parts, beside the ids.
        env_id: The ids, if they are given apart.

    Returns:
        An array for each leaf; the batch itself, if there are leaves that are no arrays.

    Raises:
        ValueError: A dict has an unknown key or lacks one, or two ids of a row differ.
    """
    if isinstance(action, dict):
        action, env_id, owners = _without_ids(leaves.space, action, env_id)
        if owners is not None and env_id is not None and not np.array_equal(owners, env_id):
            raise ArgumentError(
                f"players.env_id is {shown(owners)}, expected {shown(env_id)}, as env_id: each "
                "environment has one player"
            )
    return _split(leaves, action), env_id


def read_players_action(
    leaves: SpaceLeaves, action: Any, env_id: ArrayLike | None
) -> tuple[Any, ArrayLike | None, ArrayLike | None]:
    """What a pool takes for a batch of several agents' actions, and the ids, also of the rows.

    Arguments and errors as for :func:`read_action`. The parts of a dict, and the rows' ids as
    ``env_id``, may also be in a dict ``players``, as in native pools.
    """
    owners = None
    if isinstance(action, dict):
        action, env_id, owners = _without_ids(leaves.space, _flat(action), env_id)
    return _split(leaves, action), env_id, owners


def _flat(action: dict[str, Any]) -> dict[str, Any]:
    """Without the dict ``players``, and without that in front of keys."""
    flat: dict[Any, Any] = {}
    for key, value in action.items():
        if key == "players" and isinstance(value, dict):
            owners = {"players.env_id": value["env_id"]} if "env_id" in value else {}
            flat |= {name: part for name, part in value.items() if name != "env_id"} | owners
        elif isinstance(key, str) and key not in _IDS:
            flat[key.removeprefix("players.")] = value
        else:
            flat[key] = value
    return flat


def _split(leaves: SpaceLeaves, action: Any) -> Any:
    if leaves.objects:
        return action
    if leaves.leaves[0].path == ():
        return (action,)
    return leaves.split(action)


def _without_ids(
    space: spaces.Space[Any], action: dict[str, Any], env_id: ArrayLike | None
) -> tuple[Any, ArrayLike | None, ArrayLike | None]:
    """The batch, the ids of environments and those of rows."""
    parts = list(space) if isinstance(space, spaces.Dict) else ["action"]
    rest = {key: value for key, value in action.items() if key in parts}
    ids = {key: action[key] for key in _IDS if key in action and key not in parts}
    for key in action:
        if key not in rest and key not in ids:
            known = [*parts, *_IDS]
            raise ArgumentError(
                f"action has the unknown key {shown(key)}{did_you_mean(key, known)}; "
                f"known are {', '.join(map(str, known))}"
            )
    for key in parts:
        if key not in rest:
            raise ArgumentError(f"action lacks the key {shown(key)}")
    if env_id is None:
        env_id = ids.get("env_id")
    owners = ids.get("players.env_id")
    return (rest if isinstance(space, spaces.Dict) else rest["action"]), env_id, owners
