"""FrankaKitchen: an arm in a kitchen with seven things to do."""

from __future__ import annotations

from envpool.families.robotics.kinds.kind import Task

TASKS = [Task("FrankaKitchen-v1", "Kitchen", 280, {})]
