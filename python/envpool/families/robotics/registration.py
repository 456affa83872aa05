"""The tasks of Gymnasium-Robotics, by its ids, which EnvPool has, too.

Version 1 of Fetch and version 0 of the hands need mujoco_py there, which can no longer be
installed; here they are other names of the newest version.
"""

from __future__ import annotations

from envpool.families.robotics.kinds import adroit, ant_maze, fetch, hand, kitchen, point_maze
from envpool.families.robotics.kinds.kind import Task
from envpool.tasks.registration import register_family_task

# In EnvPool's order; of each kind whose environment the native library has.
TASKS: list[Task] = [
    *fetch.TASKS,
    *hand.TASKS,
    *adroit.TASKS,
    *ant_maze.TASKS,
    *point_maze.TASKS,
    *kitchen.TASKS,
]

for _task in TASKS:
    register_family_task(
        "envpool.families.robotics",
        _task.id,
        f"GymnasiumRobotics{_task.kind}",
        aliases=_task.aliases,
        max_episode_steps=_task.max_episode_steps,
        **_task.options,
    )
