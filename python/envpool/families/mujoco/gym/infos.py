"""Infos of Gymnasium's MuJoCo environments.

EnvPool's environments are Gymnasium's of version 4 and earlier, which have some infos under other
names than version 5, and some of zeros where Gymnasium's have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from envpool.spec.infos import InfoRules, InfoTable

VELOCITIES = ("x_velocity", "y_velocity")
PLACE = ("x_position", "y_position", "distance_from_origin", *VELOCITIES)
REWARDS = ("reward_forward", "reward_ctrl", "reward_survive")
# The rules where Gymnasium computes an action's cost in the action's own precision.
_costly = partial(InfoRules, action_precision=("reward_ctrl",))


def _is_5(options: Mapping[str, Any]) -> bool:
    return bool(options["version"] == 5)  # noqa: PLR2004 - Gymnasium's


def _ant(options: Mapping[str, Any]) -> InfoRules:
    if _is_5(options):
        return _costly(only_steps=(*VELOCITIES, *REWARDS, "reward_contact"))
    # With contact forces, version 4 shows their cost as reward_ctrl.
    return InfoRules(
        only_envpool=("reward_contact",),
        only_steps=(*REWARDS, *PLACE, "forward_reward"),
        python_floats=("reward_survive",),
        action_precision=() if options["use_contact_forces"] else ("reward_ctrl",),
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
            only_steps=(*VELOCITIES, *REWARDS, "reward_contact"),
        )
    rewards = ("reward_linvel", "reward_quadctrl", "reward_alive", "forward_reward")
    # Version 3 has it, with contact forces.
    impact = ("reward_impact",)
    has_impact = options["use_contact_forces"]
    return InfoRules(
        only_envpool=() if has_impact else impact,
        only_steps=(*rewards, *PLACE, *(impact if has_impact else ())),
        python_floats=("reward_alive",),
    )


def _of_version(new: InfoRules, old: InfoRules, options: Mapping[str, Any]) -> InfoRules:
    return new if _is_5(options) else old


_WALKER_STEPS = ("x_velocity", *REWARDS)
_OLD_WALKER = InfoRules(only_steps=("x_position", "x_velocity"))
# The rules of version 5, and those of earlier ones.
_BY_VERSION = {
    "GymHalfCheetah": (
        _costly(
            aliases={"reward_forward": ("reward_run",)},
            only_steps=("x_velocity", "reward_forward", "reward_ctrl"),
        ),
        _costly(only_steps=("x_position", "x_velocity", "reward_run", "reward_ctrl")),
    ),
    "GymHopper": (
        _costly(only_steps=_WALKER_STEPS, python_floats=("reward_survive",)),
        _OLD_WALKER,
    ),
    "GymInvertedDoublePendulum": (
        InfoRules(
            only_steps=("reward_survive", "distance_penalty", "velocity_penalty"),
            python_floats=("reward_survive",),
        ),
        InfoRules(),
    ),
    "GymInvertedPendulum": (InfoRules(only_steps=("reward_survive",)), InfoRules()),
    "GymPusher": (
        _costly(only_steps=("reward_dist", "reward_ctrl", "reward_near")),
        _costly(only_envpool=("reward_near",), only_steps=("reward_dist", "reward_ctrl")),
    ),
    "GymSwimmer": (
        _costly(
            aliases={"reward_forward": ("reward_fwd",)},
            only_steps=(*VELOCITIES, "reward_forward", "reward_ctrl"),
        ),
        _costly(only_steps=("reward_fwd", "reward_ctrl", *PLACE, "forward_reward")),
    ),
    "GymWalker2d": (_costly(only_steps=_WALKER_STEPS), _OLD_WALKER),
}
INFOS: InfoTable = {
    "GymAnt": _ant,
    "GymHumanoid": _humanoid,
    "GymHumanoidStandup": InfoRules(
        only_envpool=("reward_alive",),
        only_steps=("reward_linup", "reward_quadctrl", "reward_impact"),
    ),
    "GymReacher": _costly(only_steps=("reward_dist", "reward_ctrl")),
    **{name: partial(_of_version, *rules) for name, rules in _BY_VERSION.items()},
}
