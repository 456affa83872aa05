"""Gymnasium's MuJoCo tasks. Time limits and thresholds are EnvPool's, which are Gymnasium's.

Versions 2 and 3, which Gymnasium no longer runs, are version 4 with what EnvPool has for them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from envpool.registration import register_family_task

_register = partial(register_family_task, "envpool.mujoco.gym")

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
    "InvertedDoublePendulum": {"reward_if_not_terminated": False, "constraint_obs_dim": 3},
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
_TIME_LIMITS = {"Pusher": 100, "Reacher": 50}
_WITH_VERSION_2 = (
    "HumanoidStandup",
    "InvertedDoublePendulum",
    "InvertedPendulum",
    "Pusher",
    "Reacher",
)

for _name, _legacy in _LEGACY.items():
    _oldest = 2 if _name in _WITH_VERSION_2 else 3
    for _version in (_oldest, 4, 5):
        _options = {"version": 5} if _version == 5 else {"version": 4, **_legacy}
        if _version == 3 and _name in {"Ant", "Humanoid"}:
            _options["use_contact_forces"] = True
        if _name in _REWARD_THRESHOLDS:
            _options["reward_threshold"] = _REWARD_THRESHOLDS[_name]
        _register(
            f"{_name}-v{_version}",
            f"Gym{_name}",
            max_episode_steps=_TIME_LIMITS.get(_name, 1000),
            **_options,
        )
