"""The driving tasks, by highway-env's ids; EnvPool's are other names of the same tasks."""

from __future__ import annotations

from functools import partial
from typing import Any

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.highway")


def _task(task_id: str, name: str, alias: str, **options: Any) -> None:
    _register(task_id, name, (alias,), **options)


_task("highway-v0", "Highway", "Highway-v0")
_task(
    "highway-fast-v0",
    "Highway",
    "HighwayFast-v0",
    simulation_frequency=5,
    lanes_count=3,
    vehicles_count=20,
    duration=30.0,
    ego_spacing=1.5,
    other_vehicles_check_collisions=False,
)
