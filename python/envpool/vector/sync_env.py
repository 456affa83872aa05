"""PoolVectorEnv, which AsyncVectorEnv also is; and SyncVectorEnv, which adds nothing to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn

import numpy as np
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from envpool.errors import EnvironmentFailure
from envpool.flavours.arguments import one_each
from envpool.flavours.face import ClosedPool, WholeFace
from envpool.spec.option_values import PYTHON
from envpool.spec.values import MOST_FAILURES, AutoresetMode, parse_mode, seeds_for
from envpool.vector.arguments import take_reset_mask
from envpool.vector.spaces import (
    ObservationMode,
    check_observation_mode,
    check_spaces,
    observation_spaces,
)
from envpool.workers.options import PoolOptions
from envpool.workers.pool_side.pool import PythonPool


class PoolVectorEnv(WholeFace, VectorEnv[Any, Any, Any]):
    """The caller's environments as a Gymnasium vector environment that is run by a pool.

    Args:
        env_fns: Makes the environments, one each.
        copy: See :class:`envpool.vector.SyncVectorEnv`.
        observation_mode: See there.
        autoreset_mode: See there.
        **workers: How the environments are run; see
            :class:`envpool.workers.options.PoolOptions`.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        copy: bool,
        observation_mode: ObservationMode,
        autoreset_mode: str | AutoresetMode,
        **workers: Any,
    ) -> None:
        check_observation_mode(observation_mode)
        self.env_fns = env_fns
        self.copy = copy
        self.observation_mode = observation_mode
        self.autoreset_mode = parse_mode(autoreset_mode)
        self.spec = None  # Gymnasium's, which make_vec sets
        self.num_envs = len(env_fns)
        self._pool = _open_pool(env_fns, self.autoreset_mode, workers)
        try:
            self._take_over(self._pool)
            if workers["episodes"] is not None:
                self._follow(workers["episodes"], records=False)
        except BaseException:
            self._pool.close()
            raise
        self.closed = False

    def _take_over(self, pool: PythonPool) -> None:
        """Takes from the pool what its environments say of themselves."""
        self.metadata = pool.metadata | {"autoreset_mode": self.autoreset_mode}
        self.render_mode = pool.render_mode
        spaces = observation_spaces(self.observation_mode, pool.observation_spaces)
        self.observation_space, self.single_observation_space = spaces
        check_spaces(
            type(self).__name__,
            self.observation_mode,
            self.single_observation_space,
            pool.observation_spaces,
            pool.action_spaces,
        )
        self.single_action_space = pool.action_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The last seeds of the environments' random generators."""
        return self.get_attr("np_random_seed")

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The environments' random generators; copies of them, if other processes have them."""
        return self.get_attr("np_random")

    def _begin_reset(self, seed: Any, options: Any) -> tuple[Any, ...]:
        self._require_ready("reset_async")
        everyone = range(self.num_envs)
        seeds = [] if seed is None else seeds_for(seed, everyone, self.num_envs, or_none=True)
        ids, seeds = take_reset_mask(options, seeds, self.num_envs)
        self._begin(True, resets_all=ids is None or len(ids) == self.num_envs)
        self._was_reset = True
        return ids, seeds, options, True

    def _begin_step(self, actions: Any) -> Any:
        self._require_ready("step_async")
        return super()._begin_step(actions)

    def render(self) -> tuple[Any, ...] | None:
        """The results of the environments' ``render``, one each."""
        return self.call("render")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of all environments, or reads an attribute.

        Args:
            name: The method's name; it may be a method of a wrapper.
            *args: Its positional arguments.
            **kwargs: Its keyword arguments.

        Returns:
            What the environments return, one each.

        Raises:
            gymnasium.error.ClosedEnvironmentError: After ``close()``.
            Exception: What an environment raises.
        """
        self._check_call(name)
        return tuple(self._run(lambda: self._pool.call(name, args, kwargs)))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of all environments; the same as :meth:`call` without arguments."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of all environments.

        Args:
            name: The attribute's name; it may be an attribute of a wrapper.
            values: A list or tuple with a value for each environment, or one value for all.

        Raises:
            ValueError: There is a wrong number of values.
            gymnasium.error.ClosedEnvironmentError: After ``close()``.
            Exception: What an environment raises.
        """
        self._require_ready("set_attr")
        each = one_each("values", values, self.num_envs)
        self._run(lambda: self._pool.set_attr(name, each))

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:
        """Closes everything; :meth:`close` calls it the first time.

        Args:
            timeout: Seconds to wait for environments to close; then their processes are killed.
            terminate: Kill them at once.

        Raises:
            Exception: What an environment raises. All of them are closed nevertheless.
        """
        try:
            self._run(lambda: self._pool.close(timeout=timeout, terminate=terminate))
        finally:
            self.closed = True
            self._pool = ClosedPool(
                f"Trying to operate on `{type(self).__name__}`, after a call to `close()`."
            )

    def _run(self, call: Callable[[], Any]) -> Any:
        """Returns what the call returns, and raises what environments themselves have raised."""
        try:
            return call()
        except EnvironmentFailure as failure:
            self._fail(failure)

    def _fail(self, failure: EnvironmentFailure) -> NoReturn:
        self._hand_over(failure)
        raise_own_error(failure)

    def _check_call(self, name: str) -> None:
        """Refuses a call of environments; see :meth:`call`."""
        self._require_ready("call_async")

    def _require_ready(self, method: str) -> None:
        """Refuses a method where it must not follow another one.

        Args:
            method: What Gymnasium calls it then.
        """


class SyncVectorEnv(PoolVectorEnv):
    """Does what ``gymnasium.vector.SyncVectorEnv`` does: runs environments in the calling thread.

    If an environment raises an exception, the others are stepped all the same, and it cannot be
    used until it is reset.

    Args:
        env_fns: A function for each environment that makes it. They are called in order, in this
            thread.
        copy: For compatibility. Results belong to the caller: no later call writes to them.
        observation_mode: How observations are batched. ``"same"``: the environments have equal
            observation spaces. ``"different"``: their spaces only have the same shape and dtype. A
            pair of spaces: these are the spaces of the batch and of one environment.
        autoreset_mode: What follows the end of an episode: an ``AutoresetMode``, or its name.
        on_failure: What follows an exception of an environment in a step: ``"raise"`` it, or
            ``"reset"`` the environment; then its episode ends as truncated, and
            ``infos["failure"]`` has what it raised.
        max_failures: How many exceptions the latter survives. None: all.
        episodes: What episodes begin with, as :func:`envpool.make` takes it. None: not chosen.

    Attributes:
        envs: The environments.

    Raises:
        RuntimeError: The environments' spaces do not fit together.
        ValueError: There are no environments, or no such mode.
        Exception: What one of ``env_fns`` raises.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        copy: bool = True,
        observation_mode: ObservationMode = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        *,
        on_failure: Literal["raise", "reset"] = "raise",
        max_failures: int | None = MOST_FAILURES,
        episodes: Any = None,
    ) -> None:
        super().__init__(
            env_fns,
            copy,
            observation_mode,
            autoreset_mode,
            num_workers=0,
            on_failure=on_failure,
            max_failures=max_failures,
            episodes=episodes,
        )
        self.envs: list[Any] = self._pool.environments


def _open_pool(
    env_fns: Sequence[Callable[[], Any]], autoreset_mode: AutoresetMode, workers: dict[str, Any]
) -> PythonPool:
    """A synchronous pool whose results are to the letter those of Gymnasium's SyncVectorEnv.

    Args:
        env_fns: Makes the environments, one each.
        autoreset_mode: What follows the end of an episode.
        workers: How the environments are run: options of :func:`envpool.make_python`, and
            ``cast_observations``, see :class:`PoolOptions`.

    Raises:
        ValueError: There are no environments, or an option is not what it must be.
        Exception: What one of ``env_fns`` raises.
    """
    casts = workers.pop("cast_observations", False)
    given = {"num_envs": len(env_fns), "autoreset_mode": autoreset_mode} | workers
    options = PoolOptions.of(
        PYTHON.settle(given),
        reward_dtype="float64",
        check_actions=False,
        cast_observations=casts,
        raw_infos=True,
    )
    try:
        return PythonPool(env_fns, options)
    except EnvironmentFailure as failure:
        raise_own_error(failure)


def raise_own_error(failure: EnvironmentFailure) -> NoReturn:
    """Raises the first environment's exception, whose cause is the failure.

    Args:
        failure: What the pool raises. It has the results of the other environments.

    Raises:
        EnvironmentFailure: There is no such exception, because a worker ended; or it is one that
            would end this program.
        Exception: The environment's own.
    """
    error = failure.__cause__
    if not isinstance(error, Exception):
        raise failure
    # Each would be the other's. What the environment itself gave as the cause comes after it; an
    # exception that is raised again may still have the last failure there.
    cause = error.__cause__
    failure.__cause__ = None if isinstance(cause, EnvironmentFailure) else cause
    raise error from failure
