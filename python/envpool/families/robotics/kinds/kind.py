"""Task: an id and what it stands for."""

from __future__ import annotations

from typing import Any, NamedTuple


class Task(NamedTuple):
    """A task of Gymnasium-Robotics.

    Attributes:
        id: Its id of the newest version.
        kind: The native name of its environment, without ``GymnasiumRobotics``.
        max_episode_steps: Its time limit.
        options: What it has otherwise than the kind's defaults.
        aliases: Ids of versions that need mujoco_py.
    """

    id: str
    kind: str
    max_episode_steps: int
    options: dict[str, Any]
    aliases: tuple[str, ...] = ()


# What follows a task's name, by its reward.
REWARDS = {"sparse": "", "dense": "Dense"}
