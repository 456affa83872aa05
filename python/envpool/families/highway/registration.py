"""The driving tasks, by highway-env's ids; EnvPool's are other names of the same tasks."""

from __future__ import annotations

from functools import partial
from typing import Any

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.highway")
_CROSSINGS = "IntersectionMultiAgent"
# What the later versions of tasks have.
_CONNECTED = {"neighbour_vehicles_connected_lanes": True}


def _task(task_id: str, alias: str, name: str, **options: Any) -> None:
    _register(task_id, name, (alias,), **options)


_task("highway-v0", "Highway-v0", "Highway")
_task(
    *("highway-fast-v0", "HighwayFast-v0", "Highway"),
    simulation_frequency=5,
    lanes_count=3,
    vehicles_count=20,
    duration=30.0,
    ego_spacing=1.5,
    other_vehicles_check_collisions=False,
)
for _id, _name in (
    ("exit", "Exit"),
    ("merge", "Merge"),
    ("merge-generic", "MergeGeneric"),
    ("racetrack", "Racetrack"),
    ("racetrack-large", "RacetrackLarge"),
    ("racetrack-oval", "RacetrackOval"),
    ("roundabout", "Roundabout"),
    ("roundabout-generic", "RoundaboutGeneric"),
    ("u-turn", "UTurn"),
):
    _task(f"{_id}-v0", f"{_name}-v0", _name)
    _task(f"{_id}-v1", f"{_name}-v1", _name, **_CONNECTED)
_task("two-way-v0", "TwoWay-v0", "TwoWay", max_episode_steps=15)
_task("lane-keeping-v0", "LaneKeeping-v0", "LaneKeeping", max_episode_steps=200)

_task("parking-v0", "Parking-v0", "Parking")
_task(
    *("parking-ActionRepeat-v0", "ParkingActionRepeat-v0", "Parking"),
    policy_frequency=1,
    duration=20.0,
)
_task("parking-parked-v0", "ParkingParked-v0", "Parking", vehicles_count=10)

_task("intersection-v0", "Intersection-v0", "Intersection")
_task(
    *("intersection-v1", "Intersection-v1", "Intersection"),
    action_type="ContinuousAction",
    action_lateral=True,
    action_dynamical=True,
    action_steering_range=[-1.0471975511965976, 1.0471975511965976],
    observation_vehicles_count=5,
    observation_features=[
        *("presence", "x", "y", "vx", "vy"),
        *("long_off", "lat_off", "ang_off"),
    ],
)
_task("intersection-v2", "Intersection-v2", "Intersection", **_CONNECTED)
_OWN_REWARDS = {"agents_rewards": True}
for _version, _options in enumerate(({}, _OWN_REWARDS, _OWN_REWARDS | _CONNECTED)):
    _id, _alias = (f"{_name}-v{_version}" for _name in ("intersection-multi-agent", _CROSSINGS))
    _task(_id, _alias, _CROSSINGS, **_options)
