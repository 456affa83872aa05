"""Fetch: an arm that reaches, pushes, slides, or picks and places."""

from __future__ import annotations

from typing import Any

from envpool.families.robotics.kinds.kind import REWARDS, Task

_WITH_OBJECT = {"has_object": True, "initial_slide0": 0.405}

# What they have otherwise than Reach.
_VARIANTS: dict[str, dict[str, Any]] = {
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

TASKS = [
    Task(
        f"Fetch{name}{suffix}-v4",
        "Fetch",
        50,
        options | {"reward_type": reward_type},
        (f"Fetch{name}{suffix}-v1",),
    )
    for name, options in _VARIANTS.items()
    for reward_type, suffix in REWARDS.items()
]
