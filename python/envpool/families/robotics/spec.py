"""RobotEnvSpec: what is known of a task of Gymnasium-Robotics."""

from __future__ import annotations

from typing import Any

from envpool.families.mujoco.view_settings import view_settings
from envpool.families.robotics.maps import map_or_maps
from envpool.spec.env_spec import EnvSpec


class RobotEnvSpec(EnvSpec):
    """An :class:`EnvSpec` of a robot's task, most of which have goals.

    Observations of tasks with goals are dicts of ``achieved_goal``, ``desired_goal`` and
    ``observation``, all float64 of one dimension; Adroit's are one such array. With ``frame_stack``
    they have a leading axis of that length; with ``from_pixels`` they are uint8 of shape
    ``(3 * frame_stack, height, width)``.
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
        native = options | view_settings(options)
        if "maze_map" in native:  # what set_attr changes comes here without own_names
            native["maze_map"] = map_or_maps(native["maze_map"])
        return native
