"""Infos of Gymnasium-Robotics' environments. EnvPool adds the distance to the goal."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from envpool.spec.infos import InfoRules, InfoTable

_DISTANCE = ("distance",)
# Of Fetch and the hand, whose resets tell nothing.
_GOALS = InfoRules(
    only_envpool=("is_success", *_DISTANCE),
    only_gymnasium=("is_success_float32",),
    renamed={"is_success_float32": "is_success"},
    only_steps=("is_success_float32",),
)
# Of mazes, and of Adroit, whose resets tell nothing either.
_MAZE = InfoRules(
    only_envpool=("success", *_DISTANCE),
    only_gymnasium=("success_bool",),
    renamed={"success_bool": "success"},
)
_PLACE = ("x_position", "y_position", "distance_from_origin")
_VELOCITIES = ("x_velocity", "y_velocity")
_ANT_REWARDS = ("reward_forward", "reward_ctrl", "reward_survive")


def _ant_maze(options: Mapping[str, Any]) -> InfoRules:
    """In version 3 it tells only what the ant does, in version 5 its place after resets, too."""
    version = options["version"]
    only_steps: tuple[str, ...]
    if version == 5:  # noqa: PLR2004 - the original's
        only_steps = (*_VELOCITIES, *_ANT_REWARDS, "reward_contact")
        return dataclasses.replace(_MAZE, only_steps=only_steps)
    only_steps = (*_PLACE, *_VELOCITIES, *_ANT_REWARDS, "forward_reward")
    rules = dataclasses.replace(_MAZE, only_steps=only_steps, python_floats=("reward_survive",))
    if version == 4:  # noqa: PLR2004 - the original's
        return rules
    only_envpool = (*rules.only_envpool, "success_bool")
    return dataclasses.replace(rules, only_envpool=only_envpool, only_gymnasium=("success_bool",))


_ADROIT = dataclasses.replace(_MAZE, only_steps=("success_bool",))
_ADROIT_NUMPY = dataclasses.replace(_ADROIT, numpy_bools=("success_bool",))

# A table by kinds: each adds its own.
INFOS: InfoTable = {
    "GymnasiumRoboticsAdroitHandDoor": _ADROIT_NUMPY,
    "GymnasiumRoboticsAdroitHandHammer": _ADROIT_NUMPY,
    "GymnasiumRoboticsAdroitHandPen": _ADROIT_NUMPY,
    "GymnasiumRoboticsAdroitHandRelocate": _ADROIT,
    "GymnasiumRoboticsAntMaze": _ant_maze,
    "GymnasiumRoboticsFetch": _GOALS,
    "GymnasiumRoboticsHand": _GOALS,
    "GymnasiumRoboticsPointMaze": _MAZE,
}
