"""RobotEnvSpec and INFOS: what is known of a task of Gymnasium-Robotics."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from envpool.families.mujoco.engine import installed
from envpool.families.mujoco.gym.infos import PLACE, REWARDS, VELOCITIES
from envpool.families.mujoco.spec import view_settings
from envpool.families.robotics.goals import GOALS, GoalFunctions, KitchenGoals
from envpool.families.robotics.maps import map_or_maps
from envpool.spec.env_spec import EnvSpec
from envpool.spec.infos import InfoRules, InfoTable
from envpool.spec.option_values import KnownOptions

_KITCHEN = "GymnasiumRoboticsKitchen"


class RobotOptions(KnownOptions):
    """Options that take a maze's map in all forms."""

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`; here a map becomes rows.

        Args:
            kwargs: Values of options.

        Raises:
            TypeError: Two names of an option have different values, or a map is none.
            ValueError: There is no map of this name, or a cell is none.
        """
        result = super().own_names(kwargs)
        if "maze_map" not in result or "maze_map" not in self.defaults:
            return result
        return result | {"maze_map": map_or_maps(result["maze_map"])}

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            TypeError: ``default_camera_config`` or ``visual_options`` is no dict of numbers, or a
                map is none.
            ValueError: There is no map of this name, or a cell is none.
        """
        native = options | view_settings(options)
        if "maze_map" in native:  # what set_attr changes comes here without own_names
            native["maze_map"] = map_or_maps(native["maze_map"])
        return native


class RobotEnvSpec(EnvSpec):
    """An :class:`EnvSpec` of a robot's task, most of which have goals.

    Observations of tasks with goals are dicts of ``achieved_goal``, ``desired_goal`` and
    ``observation``, all float64 of one dimension; Adroit's are one such array. With ``frame_stack``
    they have a leading axis of that length; with ``from_pixels`` they are uint8 of shape
    ``(3 * frame_stack, height, width)``.

    Specs, pools and environments of tasks with goals have the original's functions of goals,
    ``compute_reward(achieved_goal, desired_goal, info)``, ``compute_terminated`` and
    ``compute_truncated``, for batches; see :class:`envpool.families.robotics.goals.GoalFunctions`.
    FrankaKitchen has the first of them; see
    :class:`envpool.families.robotics.goals.KitchenGoals`.
    """

    engine = f"MuJoCo {installed()}"
    known_class = RobotOptions

    @classmethod
    def pool_methods(cls) -> tuple[str, ...]:
        """See :meth:`EnvSpec.pool_methods`; here they are the functions of goals."""
        if cls.known.name == _KITCHEN:
            return KitchenGoals.NAMES
        return GoalFunctions.NAMES if cls.known.name in GOALS else ()

    def pool_method(self, name: str, options: Sequence[dict[str, Any]]) -> Any:
        """See :meth:`EnvSpec.pool_method`.

        Args:
            name: One of :meth:`pool_methods`.
            options: Of each environment, or of all of them.
        """
        kind = self.known.name
        goals = KitchenGoals(options) if kind == _KITCHEN else GoalFunctions(GOALS[kind], options)
        return getattr(goals, name)


# Infos. EnvPool adds the distance to the goal.
_DISTANCE = ("distance",)
# Of Fetch and the hand, whose resets tell nothing.
_GOALS = InfoRules(
    only_envpool=("is_success", *_DISTANCE),
    only_gymnasium=("is_success_float32",),
    renamed={"is_success_float32": "is_success"},
    only_steps=("is_success_float32",),
)
# Of mazes, and of Adroit, whose resets tell nothing either.
_MAZE = InfoRules(
    only_envpool=("success", *_DISTANCE),
    only_gymnasium=("success_bool",),
    renamed={"success_bool": "success"},
)


def _ant_maze(options: Mapping[str, Any]) -> InfoRules:
    """In version 3 it tells only what the ant does, in version 5 its place after resets, too."""
    version = options["version"]
    if version == 5:  # noqa: PLR2004 - the original's
        return dataclasses.replace(_MAZE, only_steps=(*VELOCITIES, *REWARDS, "reward_contact"))
    only_steps = (*PLACE, *REWARDS, "forward_reward")
    rules = dataclasses.replace(_MAZE, only_steps=only_steps, python_floats=("reward_survive",))
    if version == 4:  # noqa: PLR2004 - the original's
        return rules
    only_envpool = (*rules.only_envpool, "success_bool")
    return dataclasses.replace(rules, only_envpool=only_envpool, only_gymnasium=("success_bool",))


_ADROIT = dataclasses.replace(_MAZE, only_steps=("success_bool",))
_ADROIT_NUMPY = dataclasses.replace(_ADROIT, numpy_bools=("success_bool",))

INFOS: InfoTable = {
    "GymnasiumRoboticsAdroitHandDoor": _ADROIT_NUMPY,
    "GymnasiumRoboticsAdroitHandHammer": _ADROIT_NUMPY,
    "GymnasiumRoboticsAdroitHandPen": _ADROIT_NUMPY,
    "GymnasiumRoboticsAdroitHandRelocate": _ADROIT,
    "GymnasiumRoboticsAntMaze": _ant_maze,
    "GymnasiumRoboticsFetch": _GOALS,
    "GymnasiumRoboticsHand": _GOALS,
    "GymnasiumRoboticsPointMaze": _MAZE,
}
