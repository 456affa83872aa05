"""Infos of Gymnasium-Robotics' environments. EnvPool adds the distance to the goal."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

_DISTANCE = ("distance",)

# A table by kinds: each adds its own.
INFOS: InfoTable = {
    "GymnasiumRoboticsPointMaze": InfoRules(only_envpool=_DISTANCE),
}
