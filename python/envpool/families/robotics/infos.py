"""Infos of Gymnasium-Robotics' environments. EnvPool adds the distance to the goal."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

_DISTANCE = ("distance",)
# Of Fetch and the hand, whose resets tell nothing.
_GOALS = InfoRules(
    only_envpool=("is_success", *_DISTANCE),
    only_gymnasium=("is_success_float32",),
    renamed={"is_success_float32": "is_success"},
    only_steps=("is_success_float32",),
)

# A table by kinds: each adds its own.
INFOS: InfoTable = {
    "GymnasiumRoboticsFetch": _GOALS,
    "GymnasiumRoboticsHand": _GOALS,
    "GymnasiumRoboticsPointMaze": InfoRules(only_envpool=_DISTANCE),
}
