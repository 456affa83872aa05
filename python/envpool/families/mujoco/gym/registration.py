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

# What version 4 has otherwise than version 5, whose values are the defaults.
_LEGACY: dict[str, dict[str, Any]] = {
    "Ant": {
        "legacy_healthy_reward": True,
        "exclude_worldbody_contact_forces": False,
        "main_body": "torso",
    },
    "HalfCheetah": {},
    "Hopper": {"legacy_healthy_reward": True},
    "Humanoid": {
        "legacy_healthy_reward": True,
        "exclude_worldbody_observations": False,
        "exclude_root_actuator_forces": False,
    },
    "HumanoidStandup": {
        "exclude_worldbody_observations": False,
        "exclude_root_actuator_forces": False,
    },
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
    "Pusher": {
        "xml_file": "pusher.xml",
        "reward_after_step": False,
        "weighted_reward_info": False,
    },
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
_TIME_LIMITS = {"Pusher": 100, "Reacher": 50}
_WITH_VERSION_2 = (
    "HumanoidStandup",
    "InvertedDoublePendulum",
    "InvertedPendulum",
    "Pusher",
    "Reacher",
)


def _register_version(name: str, suffix: str, **options: Any) -> None:
    if name in _REWARD_THRESHOLDS:
        options["reward_threshold"] = _REWARD_THRESHOLDS[name]
    time_limit = _TIME_LIMITS.get(name, 1000)
    _register(
        f"{name}-{suffix}",
        f"Gym{name}",
        gymnasium=_GYMNASIUM.get(name),
        max_episode_steps=time_limit,
        **options,
    )


for _name, _legacy in _LEGACY.items():
    _with_contacts = {"use_contact_forces": True} if _name in {"Ant", "Humanoid"} else {}
    _oldest = "v2" if _name in _WITH_VERSION_2 else "v3"
    _register_version(_name, _oldest, version=4, **_legacy, **_with_contacts)
    _register_version(_name, "v4", version=4, **_legacy)
    _register_version(_name, "v5", version=5)
