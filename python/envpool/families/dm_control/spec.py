"""SuiteEnvSpec: what is known of a task of dm_control's suite.

How long steps and episodes are has dm_control's names as well, in seconds and in simulation steps,
which follow dm_control/rl/control.py.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Literal

import numpy as np
from gymnasium import spaces

from envpool.errors import ArgumentError, shown
from envpool.families.dm_control.registration import EPISODE_STEPS
from envpool.families.mujoco.engine import installed
from envpool.families.mujoco.spec import view_settings
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import Field, gymnasium_space
from envpool.spec.option_values import KnownOptions
from envpool.spec.spaces import Spaces
from envpool.spec.values import INT_MAX

# What max_episode_steps is if nobody asks for another: the tasks' own, and that of Gymnasium's
# single environments, whose wrapper has the limit.
_NOT_ASKED_FOR = (EPISODE_STEPS, INT_MAX)
_MOST_SUB_STEPS = 10**6
_TOLERANCE = 1e-8  # of steps

# Domains by the seconds of a simulation step, as their models have them.
_DOMAINS = {
    0.001: ("Manipulator", "Stacker"),
    0.002: ("BallInCup", "HumanoidCMU", "Swimmer"),
    0.0025: ("Walker",),
    0.004: ("Fish",),
    0.005: ("Dog", "Hopper", "Humanoid", "Quadruped"),
    0.01: ("Acrobot", "Cartpole", "Cheetah", "Finger"),
    0.02: ("Pendulum", "PointMass", "Reacher"),
    0.03: ("Lqr",),
}
# The same by native names.
TIMESTEPS = {f"Dmc{name}": seconds for seconds, names in _DOMAINS.items() for name in names}
# dm_control's names, and what they tell otherwise.
DESCRIPTIONS = {
    "n_sub_steps": "dm_control's name of frame_skip",
    "control_timestep": "seconds of a step, instead of frame_skip",
    "time_limit": "seconds of an episode, instead of max_episode_steps",
}


def _dict_space(fields: list[Field], spaces: Any) -> Any:
    return spaces.Dict([(field["name"], gymnasium_space(field, spaces)) for field in fields])


class SuiteOptions(KnownOptions):
    """Options that also have dm_control's names of lengths."""

    seed_bits = 32

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`; here dm_control's names of lengths count as well.

        Args:
            kwargs: Values of options. ``n_sub_steps`` and ``control_timestep`` set ``frame_skip``,
                and ``time_limit`` sets ``max_episode_steps``.

        Raises:
            TypeError: A value of these has a wrong type.
            ValueError: It is not allowed, or another name says something else.
        """
        timestep = TIMESTEPS[self.name]
        return with_steps(super().own_names(kwargs), timestep, self.defaults["frame_skip"])

    def other_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.other_options`; here they are dm_control's, None unless given.

        Args:
            options: The values of all options.
        """
        return {name: options.get(name) for name in DESCRIPTIONS}

    def describe(self) -> dict[str, str]:
        """See :meth:`KnownOptions.describe`."""
        return super().describe() | DESCRIPTIONS

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`.

        Args:
            options: Values by name, as the caller gave them.

        Raises:
            TypeError: ``default_camera_config`` or ``visual_options`` is no dict of numbers.
        """
        return options | view_settings(options)


class SuiteSpaces(Spaces):
    """Spaces of observations with two sets of keys."""

    def made_of(self, what: Literal["observation", "action"], spaces: Any) -> Any:
        """See :meth:`Spaces.made_of`; here keys have the order of the observations.

        Gymnasium would sort them, and EnvPool does not.

        Args:
            what: Which of the two.
            spaces: Gymnasium's module of spaces, or an old gym's.
        """
        if what == "action" or self.options.of(0)["from_pixels"]:
            return super().made_of(what, spaces)
        return _dict_space(self.described["observation"], spaces)

    @cached_property
    def strict_observation(self) -> spaces.Space[Any]:
        """See :attr:`Spaces.strict_observation`; here it has dm_control's keys."""
        if self.options.of(0)["from_pixels"]:
            return super().strict_observation
        options = self.options.of(0) | {"observation_keys": "dm_control"}
        space: spaces.Space[Any] = _dict_space(
            self.options.read(options).spec()["observation"], spaces
        )
        return space


class SuiteEnvSpec(EnvSpec):
    """An :class:`EnvSpec` whose observations have two sets of keys.

    Observations are dicts of float64. EnvPool's have the keys of all tasks of a domain, with zeros
    where a task has none. Gymnasium's own API has dm_control's keys of the task, in its order; the
    others have these with ``observation_keys="dm_control"``. With ``flat_observation`` there is one
    key, ``observations``, of shape ``(n,)``. With ``from_pixels`` observations are uint8 of shape
    ``(3 * frame_stack, height, width)``. Actions are float64.

    Environment i has the generator ``numpy.random.RandomState(seed + i)``, which takes 32 bits; a
    larger seed, also of one environment alone, raises a ValueError.
    """

    engine = f"MuJoCo {installed()}"
    known_class = SuiteOptions
    spaces_class = SuiteSpaces


def with_steps(options: dict[str, Any], timestep: float, frame_skip: int) -> dict[str, Any]:
    """The options, with what dm_control's names say of ``frame_skip`` and ``max_episode_steps``.

    Args:
        options: Values of options. dm_control's may be missing or None.
        timestep: Seconds of a simulation step.
        frame_skip: What counts if none is given.

    Raises:
        TypeError: A value has a wrong type.
        ValueError: A value is not allowed, or another name says something else.
    """
    result = dict(options)
    n_sub_steps, seconds = options.get("n_sub_steps"), options.get("control_timestep")
    if n_sub_steps is not None:
        _counts("n_sub_steps", n_sub_steps)
        _put(result, "frame_skip", n_sub_steps, "n_sub_steps", n_sub_steps)
    if seconds is not None:
        counts = [_sub_steps(each, timestep) for each in _seconds("control_timestep", seconds)]
        skip = counts if np.ndim(seconds) else counts[0]
        _put(result, "frame_skip", skip, "control_timestep", seconds)
    if options.get("time_limit") is not None:
        skip = result.get("frame_skip", frame_skip)
        steps = _episode_steps(options["time_limit"], timestep, skip)
        _put(result, "max_episode_steps", steps, "time_limit", options["time_limit"])
    return result


def _put(options: dict[str, Any], target: str, value: Any, name: str, given: Any) -> None:
    """Sets an option to what another name says, unless it is something else already."""
    known = options.get(target, value)
    idle = _NOT_ASKED_FOR if target == "max_episode_steps" else ()
    if not any(np.array_equal(known, other) for other in (value, *idle)):
        raise ArgumentError(
            f"{name} is {shown(given)}, which is {target} {shown(value)}, but {target} is "
            f"{shown(known)}: expected one of them"
        )
    options[target] = value


def _numbers(name: str, value: Any, kinds: str, expected: str) -> list[Any]:
    """A number, or one for each environment."""
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in kinds or array.ndim > 1 or array.size == 0:
        raise TypeError(f"{name} is {shown(value)}, expected {expected}")
    numbers: list[Any] = np.atleast_1d(array).tolist()
    return numbers


def _counts(name: str, value: Any) -> list[int]:
    numbers = _numbers(name, value, "iu", "an integer")
    if not all(1 <= number <= _MOST_SUB_STEPS for number in numbers):
        raise ArgumentError(f"{name} is {shown(value)}, expected 1 <= {name} <= {_MOST_SUB_STEPS}")
    return numbers


def _seconds(name: str, value: Any) -> list[float]:
    numbers = _numbers(name, value, "iuf", "seconds, a number")
    if not all(number > 0 for number in numbers):  # nor is NaN
        raise ArgumentError(f"{name} is {shown(value)}, expected 0 < {name}")
    return [float(number) for number in numbers]


def _sub_steps(control_timestep: float, timestep: float) -> int:
    """How many simulation steps take so long."""
    steps = control_timestep / timestep
    if not 1.0 <= steps <= _MOST_SUB_STEPS or abs(steps - round(steps)) > _TOLERANCE:
        raise ArgumentError(
            f"control_timestep is {control_timestep}, expected a multiple of the simulation's "
            f"timestep, {timestep} seconds, of at most {_MOST_SUB_STEPS} of them"
        )
    return round(steps)


def _episode_steps(time_limit: Any, timestep: float, frame_skip: Any) -> int:
    """After how many steps that time is over."""
    seconds, *_ = _seconds("time_limit", time_limit)
    if np.ndim(time_limit) > 0:
        raise TypeError(
            f"time_limit is {shown(time_limit)}, expected a number for all environments"
        )
    skips = _counts("frame_skip", frame_skip)
    limits = {min(seconds / (timestep * skip), INT_MAX) for skip in skips}
    if len(limits) > 1:
        raise ArgumentError(
            f"time_limit is {seconds} and frame_skip is {shown(frame_skip)}, expected one "
            "frame_skip: a pool's episodes have one limit of steps"
        )
    return max(1, math.ceil(limits.pop()))
