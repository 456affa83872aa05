"""Infos of Gymnasium's MuJoCo environments.

EnvPool's environments are Gymnasium's of version 4 and earlier, which have some infos under other
names than version 5, and some of zeros where Gymnasium's have none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from envpool.spec.infos import InfoRules, InfoTable

_VELOCITIES = ("x_velocity", "y_velocity")
_PLACE = ("x_position", "y_position", "distance_from_origin", *_VELOCITIES)
_REWARDS = ("reward_forward", "reward_ctrl", "reward_survive")


def _is_5(options: Mapping[str, Any]) -> bool:
    return bool(options["version"] == 5)  # noqa: PLR2004 - Gymnasium's


def _ant(options: Mapping[str, Any]) -> InfoRules:
    if _is_5(options):
        return InfoRules(
            only_steps=(*_VELOCITIES, *_REWARDS, "reward_contact"),
            action_precision=("reward_ctrl",),
        )
    # With contact forces, version 4 shows their cost as reward_ctrl.
    return InfoRules(
        only_envpool=("reward_contact",),
        only_steps=(*_REWARDS, *_PLACE, "forward_reward"),
        python_floats=("reward_survive",),
        action_precision=() if options["use_contact_forces"] else ("reward_ctrl",),
    )


def _half_cheetah(options: Mapping[str, Any]) -> InfoRules:
    if _is_5(options):
        return InfoRules(
            aliases={"reward_forward": ("reward_run",)},
            only_steps=("x_velocity", "reward_forward", "reward_ctrl"),
            action_precision=("reward_ctrl",),
        )
    return InfoRules(
        only_steps=("x_position", "x_velocity", "reward_run", "reward_ctrl"),
        action_precision=("reward_ctrl",),
    )


def _humanoid(options: Mapping[str, Any]) -> InfoRules:
    if _is_5(options):
        return InfoRules(
            aliases={
                "reward_survive": ("reward_alive",),
                "reward_forward": ("reward_linvel",),
                "reward_ctrl": ("reward_quadctrl",),
                "reward_contact": ("reward_impact",),
            },
            only_steps=(*_VELOCITIES, *_REWARDS, "reward_contact"),
        )
    rewards = ("reward_linvel", "reward_quadctrl", "reward_alive", "forward_reward")
    # Version 3 has it, with contact forces.
    impact = ("reward_impact",)
    has_impact = options["use_contact_forces"]
    return InfoRules(
        only_envpool=() if has_impact else impact,
        only_steps=(*rewards, *_PLACE, *(impact if has_impact else ())),
        python_floats=("reward_alive",),
    )


def _hopper(options: Mapping[str, Any]) -> InfoRules:
    floats = ("reward_survive",) if _is_5(options) else ()
    return dataclasses.replace(_walker2d(options), python_floats=floats)


def _inverted_pendulum(options: Mapping[str, Any]) -> InfoRules:
    return InfoRules(only_steps=("reward_survive",)) if _is_5(options) else InfoRules()


def _inverted_double_pendulum(options: Mapping[str, Any]) -> InfoRules:
    if _is_5(options):
        return InfoRules(
            only_steps=("reward_survive", "distance_penalty", "velocity_penalty"),
            python_floats=("reward_survive",),
        )
    return InfoRules()


def _walker2d(options: Mapping[str, Any]) -> InfoRules:
    if _is_5(options):
        return InfoRules(only_steps=("x_velocity", *_REWARDS), action_precision=("reward_ctrl",))
    return InfoRules(only_steps=("x_position", "x_velocity"))


def _pusher(options: Mapping[str, Any]) -> InfoRules:
    if _is_5(options):
        return InfoRules(
            only_steps=("reward_dist", "reward_ctrl", "reward_near"),
            action_precision=("reward_ctrl",),
        )
    return InfoRules(
        only_envpool=("reward_near",),
        only_steps=("reward_dist", "reward_ctrl"),
        action_precision=("reward_ctrl",),
    )


def _swimmer(options: Mapping[str, Any]) -> InfoRules:
    if _is_5(options):
        return InfoRules(
            aliases={"reward_forward": ("reward_fwd",)},
            only_steps=(*_VELOCITIES, "reward_forward", "reward_ctrl"),
            action_precision=("reward_ctrl",),
        )
    return InfoRules(
        only_steps=("reward_fwd", "reward_ctrl", *_PLACE, "forward_reward"),
        action_precision=("reward_ctrl",),
    )


INFOS: InfoTable = {
    "GymAnt": _ant,
    "GymHalfCheetah": _half_cheetah,
    "GymHopper": _hopper,
    "GymHumanoid": _humanoid,
    "GymHumanoidStandup": InfoRules(
        only_envpool=("reward_alive",),
        only_steps=("reward_linup", "reward_quadctrl", "reward_impact"),
    ),
    "GymInvertedDoublePendulum": _inverted_double_pendulum,
    "GymInvertedPendulum": _inverted_pendulum,
    "GymPusher": _pusher,
    "GymReacher": InfoRules(
        only_steps=("reward_dist", "reward_ctrl"), action_precision=("reward_ctrl",)
    ),
    "GymSwimmer": _swimmer,
    "GymWalker2d": _walker2d,
}
