"""Fetch: an arm that reaches, pushes, slides, or picks and places."""

from __future__ import annotations

from envpool.families.robotics.kinds.kind import REWARDS, Task

_NAMES = ("Reach", "Push", "PickAndPlace", "Slide")

TASKS = [
    Task(
        f"Fetch{name}{suffix}-v4",
        f"Fetch{name}",
        50,
        {"reward_type": reward_type},
        (f"Fetch{name}{suffix}-v1",),
    )
    for name in _NAMES
    for reward_type, suffix in REWARDS.items()
]
