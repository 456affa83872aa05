"""PoolMembers: what all pools of native environments have, whatever their API."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from envpool import _core
from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.flavours.arguments import (
    check_mask,
    check_reset_options,
    check_states,
    one_of,
    split_fields,
)
from envpool.flavours.face import Face
from envpool.flavours.generators import random_generators
from envpool.flavours.native import make_native
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.render.camera import Camera
from envpool.spec.env_spec import EnvSpec
from envpool.spec.plans import envpool_plans
from envpool.spec.values import require_bits, seeds_for

# What is the same for all environments, and the pools' attributes with it; not all pools have it.
_OF_ALL = {
    "observation_space": "single_observation_space",
    "action_space": "single_action_space",
    "spec": "spec",
    "metadata": "metadata",
    "render_mode": "render_mode",
}


class PoolMembers(Face):
    """A base of the classes of pools of native environments.

    Args:
        spec: What to make.

    Attributes:
        num_envs: How many environments there are.
        config: The values of all options.
        all_env_ids: The environments' ids.
        render_mode: How they are drawn; None: not at all.
    """

    _pool: _core.Pool
    _seeds: list[int]  # of Gymnasium's own API
    _camera_class = Camera
    # The plans of results, as the API returns them or nearly so; and what else `make_native` takes.
    _plans = staticmethod(envpool_plans)
    _native_options: ClassVar[dict[str, Any]] = {}

    def __init__(self, spec: EnvSpec) -> None:
        self.num_envs: int = spec.config.num_envs
        self.config: dict[str, Any] = spec.config._asdict()
        self.all_env_ids: NDArray[np.int32] = np.arange(self.num_envs, dtype=np.int32)
        self.render_mode = spec.config.render_mode
        self._camera = self._camera_class(spec)
        self._spec = spec
        self._pool = self._make_native(spec)
        self._native_spec = None if isinstance(spec, PythonEnvSpec) else spec
        if spec.config.episodes is not None:
            self._follow(spec.config.episodes, spec.config.record is not None)
        self._restores = 0  # how often set_state() has changed environments
        self._add_pool_methods()
        self.closed = False

    def _make_native(self, spec: EnvSpec) -> _core.Pool:
        """The native pool."""
        return make_native(spec, self._plans(spec.spaces.contents), **self._native_options)

    def _add_pool_methods(self) -> None:
        """Adds the family's own methods, which ask for the options of each environment.

        They are attributes because a ``__getattr__`` would make every other attribute slower, and
        know the native pool because a pool that its attributes refer to is not freed at once.
        """
        spec, pool = self._spec, self._pool

        def make(name: str) -> Callable[..., Any]:
            def method(*args: Any, **kwargs: Any) -> Any:
                return spec.pool_method(name, pool.get_options(None))(*args, **kwargs)

            return method

        for name in spec.pool_methods():
            setattr(self, name, make(name))

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def _split_action(
        self, action: dict[str, Any], env_id: ArrayLike | None = None
    ) -> tuple[Any, ArrayLike | None]:
        """Splits a dict into the native pool's actions and the environments' ids.

        Raises:
            ValueError: The dict has an unknown key, or lacks one; or other players act.
            TypeError: The players' ids are no integers.
            RuntimeError: An environment of the players cannot be stepped now.
        """
        action, env_id, owners = split_fields(self._spec, action, env_id)
        if owners is not None:
            self._pool.check_players(env_id, owners)
        return action, env_id

    def _check_reset(
        self, env_id: ArrayLike | None, seed: Any, options: Any
    ) -> tuple[ArrayLike | None, list[int | None], dict[str, Any]]:
        """The ids, seeds and reset options that the native pool takes."""
        options = check_reset_options(self._native_spec, options)
        if "reset_mask" in options:
            if env_id is not None:
                raise ValueError("env_id and options['reset_mask'] cannot be given together")
            mask = check_mask(options.pop("reset_mask"), self.num_envs)
            env_id = np.flatnonzero(mask).astype(np.int32)
        seeds: list[int | None] = []
        if seed is not None:
            ids = self.all_env_ids if env_id is None else np.asarray(env_id)
            # The pool itself reports wrong ids.
            if ids.ndim == 1 and np.isin(ids, self.all_env_ids).all():
                seeds = seeds_for(seed, ids.tolist(), self.num_envs, or_none=True)
                require_bits(seeds, ids.tolist(), self._spec.known.seed_bits)
        return env_id, seeds, options

    def get_state(
        self, env_ids: ArrayLike | None = None, *, env_id: ArrayLike | None = None
    ) -> list[bytes]:
        """Saves environments: everything that their next steps depend on.

        That includes the random generator, the steps of the episode so far and whether an
        auto-reset comes next, but neither the last observation nor requests in flight.

        Args:
            env_ids: The environments, integers; all of them if left out.
            env_id: Another name of ``env_ids``, as it is in all calls that take ids.

        Returns:
            For each environment an opaque ``bytes`` object, which can be stored and loaded.

        Raises:
            TypeError, ValueError: The ids are not valid.
            RuntimeError: An environment is running, has failed, or does not support snapshots.
        """
        return self._pool.get_state(one_of(env_ids, env_id))

    def set_state(
        self,
        states: Iterable[bytes | bytearray | memoryview],
        env_ids: ArrayLike | None = None,
        *,
        env_id: ArrayLike | None = None,
    ) -> None:
        """Puts environments into states that :meth:`get_state` saved.

        From there, a rollout continues exactly as it would have continued from the original. In
        Gymnasium's own API, an environment whose state was set needs no first reset.

        Args:
            states: One per environment; the same one may be given several times. They may come from
                another environment, pool, API or process, but must come from an environment of the
                same type with the same options and ``max_episode_steps``.
            env_ids: The environments, integers; all of them if left out.
            env_id: Another name of ``env_ids``.

        Raises:
            TypeError: The states are not bytes, or the ids not integers.
            ValueError: A state is damaged, or comes from another task, other options or another
                version; or there is a wrong number of them. Nothing has been changed then.
            RuntimeError: An environment is running, or fails to read a state.
        """
        self._pool.set_state(check_states(states), one_of(env_ids, env_id))
        self._restores += 1

    def __len__(self) -> int:
        return self.num_envs

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
        if is_method or name in self._spec.known.own:
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

    def can_set(self, name: str) -> bool:
        """True if :meth:`set_attr` can change this."""
        return name in self._spec.known.own or (name == "state" and self._spec.has_state)

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
        if name not in self._spec.known.own:
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
