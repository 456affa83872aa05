"""Infos of Gymnasium-Robotics' environments. EnvPool adds the distance to the goal."""

from __future__ import annotations

import dataclasses

from envpool.spec.infos import InfoRules, InfoTable

_DISTANCE = ("distance",)
# Of Fetch and the hand, whose resets tell nothing.
_GOALS = InfoRules(
    only_envpool=("is_success", *_DISTANCE),
    only_gymnasium=("is_success_float32",),
    renamed={"is_success_float32": "is_success"},
    only_steps=("is_success_float32",),
)
_ADROIT = InfoRules(
    only_envpool=("success", *_DISTANCE),
    only_gymnasium=("success_bool",),
    renamed={"success_bool": "success"},
    only_steps=("success_bool",),
)
_ADROIT_NUMPY = dataclasses.replace(_ADROIT, numpy_bools=("success_bool",))

# A table by kinds: each adds its own.
INFOS: InfoTable = {
    "GymnasiumRoboticsAdroitHandDoor": _ADROIT_NUMPY,
    "GymnasiumRoboticsAdroitHandHammer": _ADROIT_NUMPY,
    "GymnasiumRoboticsAdroitHandPen": _ADROIT_NUMPY,
    "GymnasiumRoboticsAdroitHandRelocate": _ADROIT,
    "GymnasiumRoboticsFetch": _GOALS,
    "GymnasiumRoboticsHand": _GOALS,
    # Unlike Adroit's resets, its own tell this, too.
    "GymnasiumRoboticsPointMaze": dataclasses.replace(_ADROIT, only_steps=()),
}
