"""EnvPool: what all flavours of a pool have in common."""

from __future__ import annotations

import importlib
import numbers
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from envpool import _core
from envpool.errors import EnvironmentFailure, shown
from envpool.flavours.arguments import (
    check_reset_options,
    check_states,
    ids_of_mask,
    one_of,
    split_action,
)
from envpool.flavours.attributes import Attributes
from envpool.flavours.face import Face
from envpool.flavours.native import make_native
from envpool.render.camera import Camera
from envpool.spec.env_spec import EnvSpec
from envpool.spec.plans import Plans, envpool_plans
from envpool.spec.pool_memory import require_pool_memory
from envpool.spec.values import require_bits, seeds_for
from envpool.stats import PoolStats

if TYPE_CHECKING:
    from envpool.flavours.xla import XlaInterface

_RUNNING = "is already running"  # what the native pool says of an environment


class PoolMembers(Face, Attributes):
    """What all pools of native environments have, whatever their API: a base of their classes."""

    _pool: _core.Pool

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

    def stats(self, reset: bool = False) -> PoolStats:
        """Counts what the pool did and where its time went.

        Args:
            reset: Start counting from zero after this call.
        """
        return PoolStats.from_native(self._pool.stats(bool(reset)))

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

    def __len__(self) -> int:
        return self.num_envs


class EnvPool(PoolMembers):
    """Many copies of an environment, stepped as one.

    A synchronous pool (``batch_size == num_envs``) returns a row for each environment, in the order
    of the given ids. An asynchronous one returns the first ``batch_size`` results that are ready,
    in the order in which environments finish; ``info["env_id"]`` says which environment each row
    belongs to.

    Args:
        spec: What to make; see :func:`envpool.make_spec`.
    """

    is_vector_env = True
    _camera_class = Camera

    def __init__(self, spec: EnvSpec) -> None:
        require_pool_memory(spec)
        config = spec.config
        self.spec: Any = spec
        self.num_envs: int = config.num_envs
        self.config: dict[str, Any] = config._asdict()
        self.all_env_ids: NDArray[np.int32] = np.arange(config.num_envs, dtype=np.int32)
        self.is_async: bool = config.batch_size != config.num_envs
        self.render_mode: str | None = config.render_mode
        self._camera = self._camera_class(spec)
        self._spec = spec
        self._pool = self._make_native(spec)
        self._add_pool_methods()
        self.closed = False

    @staticmethod
    def _plans(spec: EnvSpec) -> Plans:
        """Returns the plans of results: as this flavour returns them, or nearly so."""
        return envpool_plans(spec.spaces.contents)

    def _make_native(self, spec: EnvSpec) -> _core.Pool:
        """The native pool."""
        return make_native(spec, self._plans(spec))

    def _split_action(
        self, action: dict[str, Any], env_id: ArrayLike | None
    ) -> tuple[Any, ArrayLike | None]:
        """Splits a dict into the native pool's actions and the environments' ids."""
        return split_action(self._spec, self._pool, action, env_id)

    # No argument is for keywords only: Python calls such a function more slowly.
    def step(
        self, action: Any, env_id: ArrayLike | None = None, env_ids: ArrayLike | None = None
    ) -> Any:
        """Steps environments and waits for a batch of results.

        Args:
            action: One action per id, an array of shape ``(n, *action_space.shape)``. Integers,
                whole floats and bools convert to each other, floats to floats. It may also be a
                dict with the keys ``action``, ``env_id`` and ``players.env_id``; the last, if
                given, must have each id once for each player of that environment.
            env_id: The ids of ``n`` environments, integers; all of them if left out.
            env_ids: Another name of ``env_id``, as it is in all calls that take ids.

        Returns:
            The same as :meth:`recv`.

        Raises:
            ValueError: A shape, a number of rows, an id or an action is not valid.
            TypeError: A dtype cannot be used for ids or actions.
            RuntimeError: An environment is already running, or has failed and was not reset.
            envpool.errors.EnvironmentFailure: An environment failed during the step.
        """
        if env_ids is not None:
            env_id = one_of(env_id, env_ids)
        if isinstance(action, dict):
            action, env_id = self._split_action(action, env_id)
        try:
            return self._to_output(self._pool.step(action, env_id))
        except EnvironmentFailure as failure:
            self._hand_over(failure)
            raise
        except RuntimeError as error:
            self._refuse_without_ids(error, env_id)
            raise

    def send(
        self, action: Any, env_id: ArrayLike | None = None, env_ids: ArrayLike | None = None
    ) -> None:
        """Starts steps and returns at once; arguments and errors as for :meth:`step`."""
        if env_ids is not None:
            env_id = one_of(env_id, env_ids)
        if isinstance(action, dict):
            action, env_id = self._split_action(action, env_id)
        try:
            self._pool.send(action, env_id)
        except RuntimeError as error:
            self._refuse_without_ids(error, env_id)
            raise

    def _refuse_without_ids(self, error: RuntimeError, env_id: ArrayLike | None) -> None:
        """Names the cause where an asynchronous pool was used as a synchronous one.

        Raises:
            RuntimeError: It was.
        """
        if env_id is None and self.is_async and _RUNNING in str(error):
            batch_size = self.config["batch_size"]
            raise RuntimeError(
                f"{error}. Without env_id this is a call for all environments, but batch_size is "
                f"{batch_size} and num_envs {self.num_envs}, so only {batch_size} have returned: "
                "give the batch's info['env_id'], or make the pool with batch_size=num_envs"
            ) from None

    def recv(
        self, reset: bool = False, return_info: bool = True, *, timeout: float | None = None
    ) -> Any:
        """Waits for the next batch of results.

        Args:
            reset: Return what :meth:`reset` returns.
            return_info: For compatibility; must be True.
            timeout: Seconds to wait at most. Without it, there is an error at once if too few
                requests are in flight to ever fill a batch; with it, the call waits, because
                another thread may still send.

        Returns:
            ``(observation, reward, terminated, truncated, info)``: arrays with a row per result,
            which are writable and which no later call changes. (dm_env: a ``TimeStep``.)

        Raises:
            RuntimeError: There are too few requests in flight.
            TimeoutError: The time is up.
            envpool.errors.EnvironmentFailure: An environment of the batch failed.
        """
        if not return_info:
            raise ValueError("return_info is False, expected True")
        if timeout is not None:
            if isinstance(timeout, bool) or not isinstance(timeout, numbers.Real):
                raise TypeError(f"timeout is {shown(timeout)}, expected a number of seconds")
            if not timeout >= 0.0:
                raise ValueError(f"timeout is {shown(timeout)}, expected a number of seconds >= 0")
            timeout = float(min(timeout, sys.float_info.max))  # some numbers are larger than floats
        try:
            return self._to_output(self._pool.recv(bool(reset), timeout))
        except EnvironmentFailure as failure:
            self._hand_over(failure)
            raise

    def async_reset(
        self,
        env_id: ArrayLike | None = None,
        *,
        seed: Any = None,
        options: dict[str, Any] | None = None,
        env_ids: ArrayLike | None = None,
    ) -> None:
        """Starts resets and returns at once; :meth:`recv` returns the results.

        Arguments and errors are as for :meth:`reset`. (EnvPool's own takes no arguments.)
        """
        self._pool.send_reset(*self._check_reset(one_of(env_id, env_ids), seed, options))

    def reset(
        self,
        env_id: ArrayLike | None = None,
        *,
        seed: Any = None,
        options: dict[str, Any] | None = None,
        env_ids: ArrayLike | None = None,
    ) -> Any:
        """Starts new episodes and waits for a batch of their first observations.

        Args:
            env_id: The environments to reset, integers; all of them if left out. May be empty.
            seed: Reseeds the environments' random generators: an integer s, which gives each
                environment s + env_id, or one integer per environment. Without it they continue
                from where they are.
            options: ``reset_mask``, a bool per environment, instead of ``env_id``; and the reset
                options of the task (such as CartPole's ``low`` and ``high``).
            env_ids: Another name of ``env_id``.

        Returns:
            ``(observation, info)`` with a row per environment that was reset. (dm_env: a
            ``TimeStep``.)

        Raises:
            TypeError: An argument has a wrong type.
            ValueError: An id, seed or option is not valid.
            RuntimeError: An environment is still running.
        """
        try:
            arguments = self._check_reset(one_of(env_id, env_ids), seed, options)
            return self._to_output(self._pool.reset(*arguments, False))
        except EnvironmentFailure as failure:
            self._hand_over(failure)
            raise

    def _check_reset(
        self, env_id: ArrayLike | None, seed: Any, options: Any
    ) -> tuple[ArrayLike | None, list[int], dict[str, Any]]:
        """The ids, seeds and reset options that the native pool takes."""
        options = self._check_options(options)
        if "reset_mask" in options:
            if env_id is not None:
                raise ValueError("env_id and options['reset_mask'] cannot be given together")
            env_id = ids_of_mask(options.pop("reset_mask"), self.num_envs)
        seeds: list[int] = []
        if seed is not None:
            ids = self.all_env_ids if env_id is None else np.asarray(env_id)
            # The pool itself reports wrong ids.
            if ids.ndim == 1 and np.isin(ids, self.all_env_ids).all():
                seeds = seeds_for(seed, ids.tolist(), self.num_envs)
                require_bits(seeds, ids.tolist(), self._spec.known.seed_bits)
        return env_id, seeds, options

    def _check_options(self, options: Any) -> dict[str, Any]:
        """A copy of the options of a reset, which may include a reset_mask."""
        return check_reset_options(self._spec, options)

    def set_state(
        self,
        states: Iterable[bytes | bytearray | memoryview],
        env_ids: ArrayLike | None = None,
        *,
        env_id: ArrayLike | None = None,
    ) -> None:
        """Puts environments into states that :meth:`get_state` saved.

        From there, a rollout continues exactly as it would have continued from the original.

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

    def seed(self, seed: Any = None) -> None:
        """Only warns, as in EnvPool: pass seeds to ``make`` or ``reset``."""
        warnings.warn(
            "seed() does nothing: give the seed to make() or reset(seed=...)", stacklevel=2
        )

    def xla(self) -> tuple[Any, Any, Any, Any]:
        """Returns the pool's functions for programs that JAX compiles (docs/jax.md).

        Returns:
            ``(handle, recv, send, step)``. The handle is a uint8 array of shape (8,); each function
            takes it as its first argument, and returns it first (``send`` returns nothing else).
            Programs must pass it on from call to call, which determines the order of the calls:
            ``recv(handle) -> (handle, results)``, ``send(handle, action, env_id=None) -> handle``,
            ``step(handle, action, env_id=None) -> (handle, results)``. Results are those of
            :meth:`recv`, with 64-bit numbers as 32-bit ones unless ``jax_enable_x64`` is set.

            After :meth:`close`, programs that call these functions fail, and so do programs that
            outlive the pool.

        Raises:
            RuntimeError: JAX is not installed.
        """
        interface = self._interface()
        return interface.handle, interface.recv, interface.send, interface.step

    def xla_reset(self) -> Any:
        """Returns the pool's reset for programs that JAX compiles; see also :meth:`xla`.

        Returns:
            ``reset(handle, mask=None, seed=None) -> (handle, results)``, see
            :meth:`envpool.flavours.xla.XlaInterface.reset`.

        Raises:
            RuntimeError: JAX is not installed.
        """
        return self._interface().reset

    def xla_failures(self) -> list[EnvironmentFailure]:
        """Returns failures of environments in JAX programs, with the others' results.

        Such a program ends with a JaxRuntimeError, which contains only their ids and messages.

        Returns:
            The failures since the last call, the oldest first, but at most the latest eight. Each
            is what :meth:`recv` would have raised.
        """
        failures = self._pool.take_failures_of_port()
        for failure in failures:
            failure.results = self._to_output(failure.results)
        return failures

    def _interface(self) -> XlaInterface:
        xla: Any = importlib.import_module("envpool.flavours.xla")
        interface: XlaInterface = xla.XlaInterface(
            self._spec, self._pool, self._plans(self._spec), self._to_output
        )
        return interface

    def render(
        self,
        env_ids: ArrayLike | None = None,
        camera_id: int | None = None,
        *,
        env_id: ArrayLike | None = None,
    ) -> Any:
        """Draws environments as they are, or shows one in a window.

        Args:
            env_ids: The environments, integers; ``render_env_id`` if left out. None of them may be
                running; others may.
            env_id: Another name of ``env_ids``.
            camera_id: The camera, or -1 for the task's own view; ``render_camera_id`` if left out.

        Returns:
            With ``render_mode="rgb_array"`` the pictures, RGB, uint8 of shape ``(n, height, width,
            3)``. With ``"human"``, which takes one environment only, None.

        Raises:
            RuntimeError: The pool has no render mode, or no display for its window; an environment
                is running, has failed, was not reset yet, or fails to draw itself.
            TypeError, ValueError: An argument is not valid, or there is no such camera.
            ImportError: OpenCV, which shows the window, or pygame, with which Gymnasium's renderers
                draw, is missing.
        """
        pictures = self._camera.take(self._pool, one_of(env_ids, env_id), camera_id)
        if self.render_mode != "human":
            return pictures
        self._camera.show(pictures[0])
        return None

    def close(self, **kwargs: Any) -> None:
        """Ends the threads and drops results in flight; may be called again.

        The next call on the pool starts its threads again: programs for EnvPool rely on that.
        """
        self._pool.close()
        self._camera.close()
        self.closed = True

    def __repr__(self) -> str:
        options = self._spec.options.differing()
        arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
        return f"{type(self).__name__}({arguments})"

    __str__ = __repr__
