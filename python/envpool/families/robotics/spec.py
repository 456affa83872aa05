"""RobotEnvSpec: what is known of a task of Gymnasium-Robotics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from envpool.families.mujoco.spec import SimulatedEnvSpec
from envpool.families.robotics.goals import GOALS, GoalFunctions, KitchenGoals
from envpool.families.robotics.maps import map_or_maps

_KITCHEN = "GymnasiumRoboticsKitchen"


class RobotEnvSpec(SimulatedEnvSpec):
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

    @classmethod
    def own_names(cls, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`EnvSpec.own_names`; here a map becomes rows.

        Args:
            kwargs: Values of options.

        Raises:
            TypeError: Two names of an option have different values, or a map is none.
            ValueError: There is no map of this name, or a cell is none.
        """
        result = super().own_names(kwargs)
        if "maze_map" not in result or "maze_map" not in cls.defaults:
            return result
        return result | {"maze_map": map_or_maps(result["maze_map"])}

    @classmethod
    def to_native(cls, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`EnvSpec.to_native`.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            TypeError: ``default_camera_config`` or ``visual_options`` is no dict of numbers, or a
                map is none.
            ValueError: There is no map of this name, or a cell is none.
        """
        native = super().to_native(options)
        if "maze_map" in native:  # what set_attr changes comes here without own_names
            native["maze_map"] = map_or_maps(native["maze_map"])
        return native

    @property
    def goals(self) -> Any:
        """The functions of goals, with the options of this spec."""
        return self._goals(self.options())

    @classmethod
    def _goals(cls, options: Sequence[dict[str, Any]]) -> Any:
        """The functions of goals for environments with these options."""
        kind = cls.env_type.name
        if kind == _KITCHEN:
            return KitchenGoals(options)
        if kind not in GOALS:
            raise AttributeError(f"{kind} has no goals")
        return GoalFunctions(GOALS[kind], options)

    @property
    def compute_reward(self) -> Callable[..., Any]:
        """See :meth:`GoalFunctions.compute_reward` and :meth:`KitchenGoals.compute_reward`."""
        function: Callable[..., Any] = self.goals.compute_reward
        return function

    @property
    def compute_terminated(self) -> Callable[..., Any]:
        """See :meth:`GoalFunctions.compute_terminated`."""
        function: Callable[..., Any] = self.goals.compute_terminated
        return function

    @property
    def compute_truncated(self) -> Callable[..., Any]:
        """See :meth:`GoalFunctions.compute_truncated`."""
        function: Callable[..., Any] = self.goals.compute_truncated
        return function

    @classmethod
    def pool_methods(cls) -> tuple[str, ...]:
        """See :meth:`EnvSpec.pool_methods`; here they are the functions of goals."""
        if cls.env_type.name == _KITCHEN:
            return KitchenGoals.NAMES
        return GoalFunctions.NAMES if cls.env_type.name in GOALS else ()

    def pool_method(self, name: str, options: Sequence[dict[str, Any]]) -> Any:
        """See :meth:`EnvSpec.pool_method`.

        Args:
            name: One of :meth:`pool_methods`.
            options: Of each environment, or of all of them.
        """
        return getattr(self._goals(options), name)
