"""Gymnasium's MuJoCo tasks.

Time limits and reward thresholds are EnvPool's. They are also Gymnasium's, but for Hopper's
threshold, which is 3800 there, and so in Gymnasium's registry.

Versions 2 and 3, which Gymnasium no longer runs, are version 4; Ant-v3 and Humanoid-v3 are that
with contact forces.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.mujoco.gym")

_WHOLE_BODY = {"exclude_worldbody_observations": False, "exclude_root_actuator_forces": False}
# What version 4 has otherwise than version 5, whose values are the defaults.
_LEGACY: dict[str, dict[str, Any]] = {
    "Ant": {
        "legacy_healthy_reward": True,
        "exclude_worldbody_contact_forces": False,
        "main_body": "torso",
    },
    "HalfCheetah": {},
    "Hopper": {"legacy_healthy_reward": True},
    "Humanoid": {"legacy_healthy_reward": True} | _WHOLE_BODY,
    "HumanoidStandup": _WHOLE_BODY,
    "InvertedDoublePendulum": {
        "reward_if_not_terminated": False,
        "constraint_obs_dim": 3,
        "default_camera_config": {
            "trackbodyid": 0,
            "distance": 4.1225,
            "lookat": (0.0, 0.0, 0.12250000000000005),
        },
    },
    "InvertedPendulum": {"reward_if_not_terminated": False},
    "Pusher": {"xml_file": "pusher.xml", "reward_after_step": False, "weighted_reward_info": False},
    "Reacher": {"reward_after_step": False, "obs_include_z_distance": True},
    "Swimmer": {},
    "Walker2d": {"xml_file": "walker2d.xml", "legacy_healthy_reward": True},
}
_REWARD_THRESHOLDS = {
    "Ant": 6000.0,
    "HalfCheetah": 4800.0,
    "Hopper": 6000.0,
    "InvertedDoublePendulum": 9100.0,
    "InvertedPendulum": 950.0,
    "Pusher": 0.0,
    "Reacher": -3.75,
    "Swimmer": 360.0,
}
_GYMNASIUM = {"Hopper": {"reward_threshold": 3800.0}}
# Names, versions, and how many steps an episode may have; under the name that EnvPool gives them.
gym_mujoco_envs: list[tuple[str, tuple[str, str, str], int]] = [
    ("Ant", ("v3", "v4", "v5"), 1000),
    ("HalfCheetah", ("v3", "v4", "v5"), 1000),
    ("Hopper", ("v3", "v4", "v5"), 1000),
    ("Humanoid", ("v3", "v4", "v5"), 1000),
    ("HumanoidStandup", ("v2", "v4", "v5"), 1000),
    ("InvertedDoublePendulum", ("v2", "v4", "v5"), 1000),
    ("InvertedPendulum", ("v2", "v4", "v5"), 1000),
    ("Pusher", ("v2", "v4", "v5"), 100),
    ("Reacher", ("v2", "v4", "v5"), 50),
    ("Swimmer", ("v3", "v4", "v5"), 1000),
    ("Walker2d", ("v3", "v4", "v5"), 1000),
]


def _options(name: str, version: str) -> dict[str, Any]:
    """Returns the options that make the task of this name and version."""
    options: dict[str, Any] = {"version": 5}
    if version != "v5":
        options = {"version": 4, **_LEGACY[name]}
    if name in _REWARD_THRESHOLDS:
        options["reward_threshold"] = _REWARD_THRESHOLDS[name]
    if version == "v3" and name in {"Ant", "Humanoid"}:
        options["use_contact_forces"] = True
    return options


for _name, _versions, _time_limit in gym_mujoco_envs:
    for _version in _versions:
        _register(
            f"{_name}-{_version}",
            f"Gym{_name}",
            gymnasium=_GYMNASIUM.get(_name),
            max_episode_steps=_time_limit,
            **_options(_name, _version),
        )
