"""DrivingEnvSpec and INFOS: what is known of a task of highway-env."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envpool.errors import ArgumentError, shown
from envpool.families.highway.config import flattened
from envpool.spec.env_spec import EnvSpec
from envpool.spec.infos import InfoRules, InfoTable
from envpool.spec.option_values import KnownOptions

_GOALS = "Parking"
_PLAYERS = "IntersectionMultiAgent"
_WEIGHTS = "reward_weights"
_DESTINATION = "destination"
_DRIVERS = "other_vehicles_type"
_MODULE = "highway_env.vehicle.behavior."  # where upstream has them


class DrivingOptions(KnownOptions):
    """Options that upstream's ``config`` may have as well."""

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`; here ``config`` becomes the options that it has.

        Args:
            kwargs: Values of options.

        Raises:
            TypeError: ``config`` is no dict, or has an option that is also given by itself.
        """
        return self._with_config(super().own_names(kwargs))

    def reset_values(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.reset_values`; here ``config`` becomes the options that it has.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            TypeError: ``config`` is no dict, or has an option that is also given by itself.
        """
        return self._with_config(options)

    def _with_config(self, given: dict[str, Any]) -> dict[str, Any]:
        if "config" not in given:
            return given
        result = dict(given)
        options = flattened(result.pop("config"), has_players=self.name.startswith(_PLAYERS))
        for name, value in options.items():
            if name in result and not np.array_equal(result[name], value):
                raise TypeError(
                    f"{name} is {shown(result[name])} and in config {shown(value)}, expected one "
                    "of them: they are the same option"
                )
        return result | options

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`; here None is no destination, and classes are names.

        Args:
            options: Values by name, as the caller gave them.
        """
        native = dict(options)
        if native.get(_DESTINATION, "") is None:
            native[_DESTINATION] = ""
        if isinstance(drivers := native.get(_DRIVERS), str):
            native[_DRIVERS] = drivers.removeprefix(_MODULE)
        return native


class DrivingEnvSpec(EnvSpec):
    """An :class:`EnvSpec` of a driving task, which also takes highway-env's ``config``.

    Observations are float32: of Kinematics ``(vehicles, features)``, of OccupancyGrid ``(features,
    rows, columns)``, of TimeToCollision ``(3 speeds, 3 lanes, seconds)``, of LidarObservation
    ``(cells, 2)``; those of GrayscaleObservation are uint8, ``(pictures, width, height)``. With
    several players there is a row for each. Those of parking are dicts of ``achieved_goal``,
    ``desired_goal`` and ``observation``, float64 of shape ``(6,)``; those of lane-keeping of
    ``derivative``, ``reference_state`` and ``state``, float64 of shape ``(4, 1)``.

    Specs, pools and environments of parking have upstream's ``compute_reward``; see
    :class:`ParkingGoals`.
    """

    known_class = DrivingOptions

    @classmethod
    def pool_methods(cls) -> tuple[str, ...]:
        """See :meth:`EnvSpec.pool_methods`; here they are parking's."""
        return ParkingGoals.NAMES if cls.known.name == _GOALS else ()

    def pool_method(self, name: str, options: Sequence[dict[str, Any]]) -> Any:
        """See :meth:`EnvSpec.pool_method`.

        Args:
            name: One of :meth:`pool_methods`.
            options: Of each environment, or of all of them.
        """
        return getattr(ParkingGoals(options), name)


class ParkingGoals:
    """The function of goals of parking, which is NumPy's as upstream has it.

    Args:
        options: Of each environment, or of all of them.
    """

    NAMES = ("compute_reward",)
    _SIZE = 6  # of a goal

    def __init__(self, options: Sequence[Mapping[str, Any]]) -> None:
        self._weights = [np.array(each[_WEIGHTS]) for each in options]

    def compute_reward(
        self, achieved_goal: Any, desired_goal: Any, info: Any = None, p: float = 0.5
    ) -> Any:
        """Returns the reward of a step that has achieved this, without that of collisions.

        Args:
            achieved_goal: Of shape ``(..., 6)``.
            desired_goal: Likewise.
            info: Not used; upstream's function has it.
            p: The exponent of the weighted distance.

        Returns:
            A float64 array of shape ``(...)``, or a NumPy scalar.

        Raises:
            ArgumentError: The goals have a wrong shape, or environments have different weights
                (also a ValueError).
        """
        achieved, desired = np.asarray(achieved_goal), np.asarray(desired_goal)
        if achieved.shape != desired.shape or achieved.shape[-1:] != (self._SIZE,):
            raise ArgumentError(
                f"achieved_goal has shape {achieved.shape} and desired_goal {desired.shape}, "
                f"expected the same, (..., {self._SIZE})"
            )
        first, *others = self._weights
        if any(not np.array_equal(first, other) for other in others):
            raise ArgumentError(f"environments have different {_WEIGHTS}, expected the same")
        return -np.power(np.dot(np.abs(achieved - desired), first), p)


# EnvPool's speed is a float32.
_USUAL = InfoRules(
    only_envpool=("speed",),
    only_gymnasium=("speed_float64", "action"),
    renamed={"speed_float64": "speed"},
)


INFOS: InfoTable = {
    **dict.fromkeys(
        (
            *("Highway", "Merge", "MergeGeneric", "TwoWay", "UTurn", "Parking"),
            *("Roundabout", "RoundaboutGeneric", "Intersection"),
            *("Racetrack", "RacetrackLarge", "RacetrackOval"),
        ),
        _USUAL,
    ),
    "Exit": dataclasses.replace(_USUAL, only_steps=("is_success",)),
}
