"""The tasks of Gymnasium-Robotics, by its ids, which EnvPool has, too.

Version 1 of Fetch and version 0 of the hands need mujoco_py there, which can no longer be
installed; here they are other names of the newest version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from envpool.tasks.registration import register_family_task


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
_REWARDS = {"sparse": "", "dense": "Dense"}
_WITH_OBJECT = {"has_object": True, "initial_slide0": 0.405}

# What the tasks of Fetch, an arm, have otherwise than Reach.
_FETCH: dict[str, dict[str, Any]] = {
    "Reach": {},
    "Push": _WITH_OBJECT
    | {"xml_file": "fetch/push.xml", "target_in_the_air": False, "gripper_extra_height": 0.0},
    "PickAndPlace": _WITH_OBJECT | {"xml_file": "fetch/pick_and_place.xml", "block_gripper": False},
    "Slide": _WITH_OBJECT
    | {
        "xml_file": "fetch/slide.xml",
        "target_in_the_air": False,
        "gripper_extra_height": -0.02,
        "target_offset_x": 0.4,
        "obj_range": 0.1,
        "target_range": 0.3,
        "initial_slide0": 0.05,
        "initial_object_x": 1.7,
        "initial_object_y": 1.1,
        "initial_object_z": 0.41,
    },
}


def _with_rewards(
    name: str, kind: str, max_episode_steps: int, versions: tuple[int, int], options: dict[str, Any]
) -> Iterator[Task]:
    """A task with sparse and one with dense rewards; an alias has the other version."""
    for reward_type, suffix in _REWARDS.items():
        task_id, alias = (f"{name}{suffix}-v{version}" for version in versions)
        all_options = options | {"reward_type": reward_type}
        yield Task(task_id, kind, max_episode_steps, all_options, (alias,))


def _fetch() -> Iterator[Task]:
    for name, options in _FETCH.items():
        yield from _with_rewards(f"Fetch{name}", "Fetch", 50, (4, 1), options)


# What follows the object in the ids of the Shadow hand's tasks: where the target is, how it is
# rotated, and whether there is such a task with touch sensors.
_PLACED = {"": ("random", "xyz", True), "Full": ("random", "xyz", False)}
_ROTATED = _PLACED | {"Rotate": ("ignore", "xyz", True)}
_TURNED = {
    "RotateParallel": ("ignore", "parallel", True),
    "RotateXYZ": ("ignore", "xyz", True),
    "RotateZ": ("ignore", "z", True),
}
_HAND = {"Block": _PLACED | _TURNED, "Egg": _ROTATED, "Pen": _ROTATED}
_TOUCH = {"_BooleanTouchSensors": "boolean", "_ContinuousTouchSensors": "sensordata"}
# The pen is long and thin: it begins as it is, and how it is turned around its axis is not seen.
_PEN = {
    "distance_threshold": 0.05,
    "randomize_initial_rotation": False,
    "ignore_z_target_rotation": True,
}


def _hand() -> Iterator[Task]:
    yield from _with_rewards("HandReach", "Hand", 50, (3, 0), {})
    for thing, variants in _HAND.items():
        name, model = f"HandManipulate{thing}", f"hand/manipulate_{thing.lower()}"
        own = {"hand_task": "manipulate"} | (_PEN if thing == "Pen" else {})
        for variant, (position, rotation, has_touch) in variants.items():
            options = own | {"target_position": position, "target_rotation": rotation}
            plain = options | {"xml_file": f"{model}.xml"}
            yield from _with_rewards(f"{name}{variant}", "Hand", 100, (1, 0), plain)
            touch = {"xml_file": f"{model}_touch_sensors.xml", "touch_visualisation": "on_touch"}
            for sensors, observed in _TOUCH.items() if has_touch else ():
                all_options = options | touch | {"touch_get_obs": observed}
                task_name = f"{name}{variant}{sensors}"
                yield from _with_rewards(task_name, "Hand", 100, (1, 0), all_options)


def _adroit() -> Iterator[Task]:
    for name in ("Door", "Hammer", "Pen", "Relocate"):
        for reward_type, suffix in (("dense", ""), ("sparse", "Sparse")):
            task_id, kind = f"AdroitHand{name}{suffix}-v1", f"AdroitHand{name}"
            yield Task(task_id, kind, 200, {"reward_type": reward_type})


# The maps of mazes by what is in the ids, and how many steps the ant and the ball have.
_MAZES = {
    "UMaze": ("U_MAZE", 700, 300),
    "Open": ("OPEN", 700, 300),
    "Open_Diverse_G": ("OPEN_DIVERSE_G", 700, 300),
    "Open_Diverse_GR": ("OPEN_DIVERSE_GR", 700, 300),
    "Medium": ("MEDIUM_MAZE", 1000, 600),
    "Medium_Diverse_G": ("MEDIUM_MAZE_DIVERSE_G", 1000, 600),
    "Medium_Diverse_GR": ("MEDIUM_MAZE_DIVERSE_GR", 1000, 600),
    "Large": ("LARGE_MAZE", 1000, 800),
    "Large_Diverse_G": ("LARGE_MAZE_DIVERSE_G", 1000, 800),
    "Large_Diverse_GR": ("LARGE_MAZE_DIVERSE_GR", 1000, 800),
}
# PointMaze has the mazes in another order: plain ones first.
_POINT_MAZES = sorted(_MAZES, key=lambda name: (name != "Open", "Diverse" in name))


def _ant_maze() -> Iterator[Task]:
    for name, (map_name, steps, _) in _MAZES.items():
        for reward_type, suffix in _REWARDS.items():
            for version in (3, 4, 5):
                options = {"maze_map": map_name, "reward_type": reward_type, "version": version}
                yield Task(f"AntMaze_{name}{suffix}-v{version}", "AntMaze", steps, options)


def _point_maze() -> Iterator[Task]:
    for name in _POINT_MAZES:
        map_name, _, steps = _MAZES[name]
        for reward_type, suffix in _REWARDS.items():
            options = {"maze_map": map_name, "reward_type": reward_type}
            yield Task(f"PointMaze_{name}{suffix}-v3", "PointMaze", steps, options)


# In EnvPool's order.
TASKS = [
    *_fetch(),
    *_hand(),
    *_adroit(),
    *_ant_maze(),
    *_point_maze(),
    Task("FrankaKitchen-v1", "Kitchen", 280, {}),
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
