"""The shadow dexterous hand: it reaches, or manipulates a block, an egg or a pen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envpool.families.robotics.kinds.kind import REWARDS, Task

# By object, and by what follows it in the ids: where the target is, how it is rotated, and whether
# there is such a task with touch sensors.
_VARIANTS = {
    "Block": {
        "": ("random", "xyz", True),
        "Full": ("random", "xyz", False),
        "RotateParallel": ("ignore", "parallel", True),
        "RotateXYZ": ("ignore", "xyz", True),
        "RotateZ": ("ignore", "z", True),
    },
    "Egg": {
        "": ("random", "xyz", True),
        "Full": ("random", "xyz", False),
        "Rotate": ("ignore", "xyz", True),
    },
    "Pen": {
        "": ("random", "xyz", True),
        "Full": ("random", "xyz", False),
        "Rotate": ("ignore", "xyz", True),
    },
}
_TOUCH = {"_BooleanTouchSensors": "boolean", "_ContinuousTouchSensors": "sensordata"}


# The pen is long and thin: it begins as it is, and how it is turned around its axis is not seen.
_PEN = {
    "distance_threshold": 0.05,
    "randomize_initial_rotation": False,
    "ignore_z_target_rotation": True,
}


def _reach() -> Iterator[Task]:
    for reward_type, suffix in REWARDS.items():
        name = f"HandReach{suffix}"
        yield Task(f"{name}-v3", "Hand", 50, {"reward_type": reward_type}, (f"{name}-v0",))


def _manipulate(name: str, options: dict[str, Any]) -> Iterator[Task]:
    for reward_type, suffix in REWARDS.items():
        task_id = f"{name}{suffix}"
        all_options = options | {"hand_task": "manipulate", "reward_type": reward_type}
        yield Task(f"{task_id}-v1", "Hand", 100, all_options, (f"{task_id}-v0",))


def _tasks() -> Iterator[Task]:
    yield from _reach()
    for thing, variants in _VARIANTS.items():
        name, model = f"HandManipulate{thing}", f"hand/manipulate_{thing.lower()}"
        own = _PEN if thing == "Pen" else {}
        for variant, (position, rotation, has_touch) in variants.items():
            options = own | {"target_position": position, "target_rotation": rotation}
            yield from _manipulate(f"{name}{variant}", options | {"xml_file": f"{model}.xml"})
            touch = {"xml_file": f"{model}_touch_sensors.xml", "touch_visualisation": "on_touch"}
            for sensors, observed in _TOUCH.items() if has_touch else ():
                all_options = options | touch | {"touch_get_obs": observed}
                yield from _manipulate(f"{name}{variant}{sensors}", all_options)


TASKS = list(_tasks())
