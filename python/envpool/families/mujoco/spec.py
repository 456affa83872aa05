"""MuJoCo's environments: pictures' options that are dicts, and EnvPool's names of Gymnasium's."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from envpool.errors import ArgumentError, shown
from envpool.families.mujoco.distributions import lines_of
from envpool.families.mujoco.engine import installed
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import gymnasium_space
from envpool.spec.option_values import KnownOptions
from envpool.spec.spaces import Spaces

# EnvPool's names of options whose names here are Gymnasium's.
_OTHER_NAMES = {
    "use_contact_force": ("use_contact_forces", "include_cfrc_ext_in_observation"),
    "ctrl_cost_weight": ("reward_control_weight",),
    "dist_cost_weight": ("reward_dist_weight",),
    "near_cost_weight": ("reward_near_weight",),
    "contact_cost_weight": ("impact_cost_weight",),
}
_VERSION_5 = 5
# EnvPool's names of one end of a range.
_RANGE_ENDS = {
    **{f"{name}_min": ((f"{name}_range",), 0) for name in ("healthy_z", "healthy_angle")},
    **{f"{name}_max": ((f"{name}_range",), 1) for name in ("healthy_z", "healthy_angle")},
    "healthy_state_min": (("healthy_state_range",), 0),
    "healthy_state_max": (("healthy_state_range",), 1),
    "contact_force_min": (("contact_force_range",), 0),
    "contact_force_max": (("contact_force_range",), 1),
    "contact_cost_max": (("contact_cost_range", "impact_cost_range"), 1),
}


def _end_of(values: Any, end: int) -> Any:
    """One end of a range, or a list of them if there is a range per environment.

    None if that is no range, which is refused where the values are.
    """
    try:
        ends = np.transpose(values)[end]
    except (IndexError, ValueError):
        return None
    return ends.tolist() if isinstance(ends, np.ndarray | np.generic) else None


def _with_end(values: Any, end: int, value: Any) -> Any:
    """A range with another end, or a list of ranges if there is a value per environment."""
    if np.ndim(value) == 0 and np.ndim(values) == 1:
        return [value if i == end else other for i, other in enumerate(values)]
    columns = np.broadcast_arrays(np.atleast_1d(value), *np.transpose(values))
    ends = [columns[0] if i == end else column for i, column in enumerate(columns[1:])]
    return np.transpose(ends).tolist()


def _check_kind(name: str, value: Any, default: Any) -> None:
    """Refuses a value of a wrong type under the name that was given.

    Raises:
        TypeError: It is no bool or number, whichever the default is, nor a list of them.
    """
    kinds, expected = ("b", "a bool") if isinstance(default, bool) else ("iuf", "a number")
    try:
        array = np.asarray(value)
        is_fine = array.dtype.kind in kinds and array.ndim <= 1
    except ValueError:  # lists of different lengths
        is_fine = False
    if not is_fine:
        raise TypeError(f"{name} is {shown(value)}, expected {expected}")


def view_settings(options: Mapping[str, Any]) -> dict[str, list[str]]:
    """The options of pictures that are dicts of numbers, as lists of texts for native code.

    Args:
        options: Values by name, as the caller gave them.

    Raises:
        TypeError: One of them is no dict of numbers.
    """
    names = ("default_camera_config", "visual_options", "cameras")
    return {name: _settings(name, options[name]) for name in names if name in options}


def _index(value: Any) -> Any:
    """An integer instead of one of MuJoCo's enumerations, say; other values as they are."""
    try:
        return operator.index(value)
    except TypeError:
        return value


def _settings(name: str, values: Any) -> list[str]:
    """A dict of numbers, or sequences of numbers, as ``["key=1.0", "other=0.0,1.0"]``."""
    if values is None:
        return []
    if isinstance(values, list) and all(isinstance(entry, str) for entry in values):
        return values  # are settings already
    if not isinstance(values, Mapping):
        raise TypeError(f"{name} is {shown(values)}, expected a dict of numbers")
    settings = []
    for key, value in values.items():
        numbers = np.atleast_1d(np.asarray(_index(value)))
        if numbers.dtype.kind not in "biuf" or numbers.ndim > 1:
            raise TypeError(f"{name}[{shown(key)}] is {shown(value)}, expected numbers")
        settings.append(f"{_index(key)}={','.join(repr(float(number)) for number in numbers)}")
    return settings


def declared(default: Any, description: str) -> dict[str, Any]:
    """An option that native code does not have, as that tells of its own."""
    entry = {"limits": (0.0, 0.0), "choices": [], "expected": ""}
    return {"default": default, "description": description, **entry}


class MujocoOptions(KnownOptions):
    """Options that also have EnvPool's names."""

    further: ClassVar[Mapping[str, dict[str, Any]]] = {
        "pixel_envs": declared(None, "the ids of the environments that draw cameras; None: all")
    }

    def settle(self, options: dict[str, Any]) -> Any:
        """See :meth:`KnownOptions.settle`; here ``pixel_envs`` stands for a flag of each.

        Args:
            options: Some of them, by our names.

        Raises:
            TypeError: ``pixel_envs`` is no sequence of integers.
            ArgumentError: There is no environment of one of these ids.
        """
        drawing, num_envs = options.get("pixel_envs"), options.get("num_envs", 1)
        if drawing is None or not isinstance(num_envs, int | np.integer):
            return super().settle(options)
        ids = np.asarray(drawing)
        if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
            raise TypeError(f"pixel_envs is {shown(drawing)}, expected ids of environments")
        if not np.isin(ids, np.arange(num_envs)).all():
            raise ArgumentError(
                f"pixel_envs is {shown(drawing)}, expected ids of {num_envs} environments"
            )
        flags = np.isin(np.arange(num_envs), ids).tolist()
        return super().settle(options | {"pixel_envs": None, "draws_cameras": flags})

    def own_default(self, name: str, default: Any) -> Any:
        """See :meth:`KnownOptions.own_default`; here dicts are given for some lists of texts."""
        return {} if name in ("randomise", "cameras") else default

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`; here EnvPool's other names count as well.

        Args:
            kwargs: Values of options. EnvPool's name of one comes before Gymnasium's. But a config
                has both, so its default has no effect beside Gymnasium's name.

        Raises:
            TypeError: Two names of an option of all tasks have different values, or EnvPool's
                name has a value of a wrong type.
        """
        kwargs = super().own_names(kwargs)
        # A picture's camera is Gymnasium's in all versions.
        kwargs.pop("gymnasium_v5_render_camera", None)
        given = {name: kwargs.pop(name) for name in self._targets() if name in kwargs}
        own = set(kwargs)
        agreeing = self.other_options(self.defaults | kwargs)
        for name, value in given.items():
            targets = self._targets()[name]
            _check_kind(name, value, self.defaults[name])
            # A flag's default depends on the version.
            is_default = not isinstance(value, bool) and np.array_equal(value, self.defaults[name])
            is_idle = is_default or np.array_equal(value, agreeing[name])
            if is_idle and own.intersection(targets):
                continue
            for target in targets:
                values = kwargs.get(target, self.defaults[target])
                is_end = name in _RANGE_ENDS
                kwargs[target] = _with_end(values, _RANGE_ENDS[name][1], value) if is_end else value
        return kwargs

    def _targets(self) -> dict[str, list[str]]:
        """EnvPool's other names of options that there are, with these options' own names."""
        targets = _OTHER_NAMES | {name: ranges for name, (ranges, _) in _RANGE_ENDS.items()}
        own = self.own
        known = {name: [each for each in targets[name] if each in own] for name in targets}
        return {name: each for name, each in known.items() if each and name not in own}

    def other_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.other_options`; here they have EnvPool's names.

        Args:
            options: The values of all options, by our names.
        """
        result = {}
        # Where two options have one name in EnvPool, version 5 goes by the latter.
        place = -1 if np.array_equal(options.get("version", 0), _VERSION_5) else 0
        for name, targets in self._targets().items():
            value = options[targets[place]]
            if name in _RANGE_ENDS:
                value = _end_of(value, _RANGE_ENDS[name][1])
            result[name] = value
        return result

    def describe(self) -> dict[str, str]:
        """See :meth:`KnownOptions.describe`."""
        other = {name: f"EnvPool's name of {each[0]}" for name, each in self._targets().items()}
        return super().describe() | other

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`.

        Args:
            options: Values by name, as the caller gave them, or as native code has them.

        Raises:
            TypeError: ``default_camera_config`` or ``visual_options`` is no dict of numbers, or
                ``randomise`` none of distributions.
            ArgumentError: A number of these is not finite, or ``pixel_envs`` was set later.
        """
        native = dict(options)
        if native.pop("pixel_envs", None) is not None:
            raise ArgumentError("pixel_envs is of whole pools: set draws_cameras instead")
        if not isinstance(native.get("randomise", []), list):
            native["randomise"] = lines_of(native["randomise"])
        if isinstance(native.get("main_body"), int | np.integer):
            native["main_body"] = str(native["main_body"])
        return native | view_settings(native)


class MujocoSpaces(Spaces):
    """Spaces with Gymnasium's type of actions."""

    @cached_property
    def strict_action(self) -> spaces.Space[Any]:
        """See :attr:`Spaces.strict_action`; in Gymnasium, actions are float32."""
        space: spaces.Space[Any] = gymnasium_space(self.action_fields[0] | {"dtype": "float32"})
        return space


class MujocoEnvSpec(EnvSpec):
    """An :class:`EnvSpec` that also takes EnvPool's names of options.

    Observations are float64 of shape ``(n,)``, or ``(frame_stack, n)`` if that is more than 1; with
    ``from_pixels`` uint8 of shape ``(3 * frame_stack, height, width)``. Actions are float64 with a
    number for each of the model's actuators.
    """

    engine = f"MuJoCo {installed()}"
    known_class = MujocoOptions
    spaces_class = MujocoSpaces
