"""The arrays of observations, actions and infos, as the native core describes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool.errors import ArgumentError
from envpool.spec.autoreset import AutoresetMode, parse_mode
from envpool.spec.spaces import Field
from envpool.workers.options import PoolOptions
from envpool.workers.spaces import SpaceLeaves


def _info(name: str, dtype: str) -> Field:
    return Field(
        name=f"players.{name}",
        dtype=dtype,
        shape=(),
        low=[-np.inf],
        high=[np.inf],
        space="box",
        per_player=True,
    )


# The infos of several agents, in the order in which cpp/bindings/python_players.cpp writes them.
PLAYER_INFOS = [_info("id", "int32"), _info("terminated", "bool"), _info("truncated", "bool")]


def player_fields(fields: list[dict[str, Any]], prefix: str = "") -> list[dict[str, Any]]:
    """Arrays with a row per environment as arrays with one per player.

    Args:
        fields: As the native core describes them.
        prefix: What their names begin with.
    """
    return [field | {"name": prefix + field["name"], "per_player": True} for field in fields]


def describe(
    observation: SpaceLeaves,
    action: SpaceLeaves,
    options: PoolOptions,
    agents: tuple[Any, ...] | None,
) -> dict[str, Any]:
    """Those of a pool.

    Args:
        observation: The leaves of the observation space.
        action: And those of the action space.
        options: How the pool is run.
        agents: That each environment can have, whose spaces these are; None if it has one player.

    Raises:
        ArgumentError: Several agents do not go with an option, or with a space.
    """
    if agents is not None:
        _require_players(observation, action, options)
        return {
            "observation": player_fields(observation.fields()),
            "action": player_fields(action.fields(with_bounds=True), "players."),
            "info": PLAYER_INFOS,
            "max_num_players": len(agents),
        }
    arrays = [] if action.objects else action.fields(options.check_actions)
    return {"observation": observation.fields(), "action": arrays, "info": [], "max_num_players": 1}


def _require_players(observation: SpaceLeaves, action: SpaceLeaves, options: PoolOptions) -> None:
    """Refuses what environments of several agents cannot have."""
    who = "environments of several agents"
    if options.raw_infos:
        raise ArgumentError(
            "a Gymnasium vector environment has one player per environment: for "
            f"{who} there is envpool.make_python()"
        )
    mode = parse_mode(options.autoreset_mode)
    if mode is AutoresetMode.SAME_STEP:
        raise ArgumentError(
            f"autoreset_mode is {mode.value!r}, expected another: auto-reset in the same step is "
            "only for environments of one player"
        )
    for name, leaves in (("observation", observation), ("action", action)):
        for leaf in leaves.objects:
            raise ArgumentError(
                f"the {name} space has a part {leaf.space}, which is not an array: {who} have only "
                "arrays"
            )
