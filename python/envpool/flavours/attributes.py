"""Attributes of native environments: what pools in all APIs can read and change of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.flavours.generators import random_generators
from envpool.spec.env_spec import EnvSpec

# What is the same for all environments, and the pools' attributes with it; not all pools have it.
_OF_ALL = {
    "observation_space": "single_observation_space",
    "action_space": "single_action_space",
    "spec": "spec",
    "metadata": "metadata",
    "render_mode": "render_mode",
}


class Attributes:
    """Pools' access to the attributes of their environments: a base of their classes."""

    num_envs: int
    _spec: EnvSpec
    _pool: _core.Pool
    _seeds: list[int]

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of every environment, such as ``compute_reward`` in robotics.

        For other names it is the same as :meth:`get_attr`: environments expose mostly values.

        Args:
            name: A method of the task, or an attribute.
            *args: What the method is called with.
            **kwargs: What it is called with by name.

        Returns:
            What the environments return, one each.

        Raises:
            AttributeError: There is no such attribute.
            TypeError: There are arguments, but the attribute is not a function.
        """
        if name in self._spec.pool_methods():
            return tuple(method(*args, **kwargs) for method in self.get_attr(name))
        values = self.get_attr(name)
        if args or kwargs:
            raise TypeError(f"{name} is a value and takes no arguments")
        return values

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of every environment.

        Args:
            name: An option of the task (such as Pendulum's ``g``), ``elapsed_step``, ``np_random``,
                ``spec``, ``observation_space``, ``action_space``, ``metadata`` or ``render_mode``;
                in classic control also ``state``, a read-only array that can be set as a whole. In
                Gymnasium's own API also ``np_random_seed``, and ``state`` is None before the first
                ``reset()``.

        Raises:
            AttributeError: There is no such attribute.
            RuntimeError: An environment is running, unless it is an option that is read.
        """
        is_method = name in self._spec.pool_methods()
        if is_method or self.has_option(name):
            return tuple(
                self._spec.pool_method(name, [options]) if is_method else options[name]
                for options in self._pool.get_options(None)
            )
        if hasattr(self, _OF_ALL.get(name, "")):
            return (getattr(self, _OF_ALL[name]),) * self.num_envs
        match name:
            case "elapsed_step":
                return tuple(self._pool.get_elapsed_steps())
            case "np_random":
                return random_generators(self._pool)
            case "np_random_seed" if hasattr(self, "_seeds"):
                return tuple(self._seeds)
            case "state" if self._spec.has_state:
                return self._get_states()
        known = [*self._spec.known.own, "elapsed_step", "np_random", "np_random_seed"]
        is_ours = callable(getattr(type(self), str(name), None))
        hint = f": {name}() is a method of the whole pool" if is_ours else did_you_mean(name, known)
        raise AttributeError(f"{self._spec.known.name} has no attribute {shown(name)}{hint}")

    def _get_states(self) -> tuple[NDArray[Any] | None, ...]:
        """The attribute ``state`` of environments that have one.

        They are copies, and read-only: to write to them would change nothing.
        """
        states = []
        for scene in self._pool.describe(None):
            is_float32 = any(scene.get("is_float32", ()))
            states.append(scene["state"].astype(np.float32 if is_float32 else np.float64))
            states[-1].setflags(write=False)
        return tuple(states)

    def _set_states(self, states: Iterable[Any]) -> None:
        arrays = [np.asarray(state) for state in states]
        for i, array in enumerate(arrays):
            if array.dtype.kind not in "iuf":
                raise TypeError(f"state {i} has dtype {array.dtype}, expected numbers")
        scenes = [
            {"state": array.ravel().tolist(), "is_float32": [float(array.dtype == np.float32)]}
            for array in arrays
        ]
        self._pool.assume(scenes, None)

    def has_option(self, name: str) -> bool:
        """True if this is an option of the task, which :meth:`set_attr` can change."""
        return name in self._spec.known.own

    def can_set(self, name: str) -> bool:
        """True if :meth:`set_attr` can change this."""
        return self.has_option(name) or (name == "state" and self._spec.has_state)

    def set_attr(self, name: str, values: Any) -> None:
        """Changes an option of the environments, which continue from where they are.

        Args:
            name: An option of the task, such as Pendulum's ``g``; or in classic control ``state``,
                which is converted to float64 unless it is an array of float32 and Gymnasium's
                environment computes with that (Acrobot, MountainCarContinuous).
            values: A list or tuple with a value for each environment, or one value for all; of an
                option that is a list itself, a list of numbers is one value for all.

        Raises:
            AttributeError: There is no such option.
            TypeError: A value has a wrong type.
            ValueError: A value is not allowed, would change the spaces or infos, or there is a
                wrong number of them.
            RuntimeError: An environment is running, has failed, does not support snapshots, or has
                no episode whose state can be set.
            gymnasium.error.ResetNeeded: In Gymnasium's own API for the last of these.
            gymnasium.error.ClosedEnvironmentError: There after ``close()``.
        """
        if not self.can_set(name):
            hint = did_you_mean(name, self._spec.known.own)
            raise AttributeError(f"{self._spec.known.name} has no option {shown(name)}{hint}")
        given = values
        if not self._is_one_each(name, values):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ValueError(f"values has {len(values)} entries, expected {self.num_envs}")
        if not self.has_option(name):
            self._set_states(values)
            return
        changed = self._pool.get_options(None)
        for env, value in enumerate(values):
            spec, _ = self._spec.place_of(env)
            changed[env] = spec.known.to_native(changed[env] | {name: value})
            spec.spaces.check_infos(changed[env])
        try:
            self._pool.set_options(changed, None)
        except ValueError as error:
            raise ArgumentError(f"{name} cannot be {shown(given)}: {error}") from None

    def _is_one_each(self, name: str, values: Any) -> bool:
        """True if these are a value for each environment, not one that is a list for all."""
        if not isinstance(values, list | tuple):
            return False
        is_list = isinstance(self._spec.known.defaults.get(name), list)
        # Lists of an environment may be given in other forms: a map as text, settings as a dict.
        return not (is_list and all(isinstance(value, int | float | np.number) for value in values))
