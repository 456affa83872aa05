"""EnvPool: what all flavours of a pool have in common."""

from __future__ import annotations

import warnings
from typing import Any

from numpy.typing import ArrayLike

from envpool.errors import EnvironmentFailure
from envpool.flavours import require_reset_info
from envpool.flavours.arguments import check_timeout, one_of
from envpool.flavours.members import PoolMembers
from envpool.flavours.programs import ProgramMembers
from envpool.spec.env_spec import EnvSpec
from envpool.spec.memory import require_pool_memory

_RUNNING = "is already running"  # what the native pool says of an environment


class EnvPool(ProgramMembers):
    """Many copies of an environment, stepped as one.

    A synchronous pool (``batch_size == num_envs``) returns a row for each environment, in the order
    of the given ids. An asynchronous one returns the first ``batch_size`` results that are ready,
    in the order in which environments finish; ``info["env_id"]`` says which environment each row
    belongs to.

    Args:
        spec: What to make; see :func:`envpool.make_spec`.
    """

    is_vector_env = True
    _may_omit_infos = False  # of resets

    def __init__(self, spec: EnvSpec) -> None:
        if not self._may_omit_infos:
            require_reset_info(spec.config.gym_reset_return_info)
        require_pool_memory(spec)
        self.spec: Any = spec
        self.is_async: bool = spec.config.batch_size != spec.config.num_envs
        PoolMembers.__init__(self, spec)

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
            self._fail(failure)
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
        timeout = None if timeout is None else check_timeout(timeout)
        try:
            return self._to_output(self._pool.recv(bool(reset), timeout))
        except EnvironmentFailure as failure:
            self._fail(failure)

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
                environment s + env_id, or one integer or None per environment. Without a seed,
                they continue from where they are.
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
            self._fail(failure)

    def seed(self, seed: Any = None) -> None:
        """Only warns, as in EnvPool: pass seeds to ``make`` or ``reset``."""
        warnings.warn(
            "seed() does nothing: give the seed to make() or reset(seed=...)", stacklevel=2
        )

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
            RuntimeError: The pool has no render mode, or its window cannot have this size; an
                environment is running, has failed, was not reset yet, or fails to draw itself.
            TypeError, ValueError: An argument is not valid, or there is no such camera.
            ImportError: pygame is missing, which shows the window, and with which Gymnasium's
                renderers draw.
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
        return f"{type(self).__name__}({self._spec.options})"

    __str__ = __repr__
