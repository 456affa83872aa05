"""PoolVectorEnv, which AsyncVectorEnv also is; and SyncVectorEnv, which adds nothing to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from envpool.errors import EnvironmentFailure
from envpool.flavours.native import refuse_pickling
from envpool.flavours.stats import PythonPoolStats
from envpool.spec.values import MOST_FAILURES, AutoresetMode, parse_mode
from envpool.vector.arguments import each_seed, each_value, take_reset_mask
from envpool.vector.spaces import (
    ObservationMode,
    check_observation_mode,
    check_spaces,
    observation_spaces,
)
from envpool.workers.pool_side.pool import PoolOptions, PythonPool

if TYPE_CHECKING:
    _VectorEnv = VectorEnv[Any, Any, Any]
else:
    _VectorEnv = VectorEnv  # which is not generic before 1.0


class PoolVectorEnv(_VectorEnv):
    """The caller's environments as a Gymnasium vector environment that is run by a pool.

    Args:
        env_fns: Makes the environments, one each.
        copy: See :class:`envpool.vector.SyncVectorEnv`.
        observation_mode: See there.
        autoreset_mode: See there.
        **workers: How the environments are run; see
            :class:`envpool.workers.pool_side.pool.PoolOptions`.
    """

    closed = True  # until it is made: Gymnasium 0.29's __del__ closes what is open
    viewer = None  # which it closes, too

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
        self._is_resetting = False  # or, in the last call, stepping
        self._begun = False  # the pool takes no environment for one that was never reset
        self._pool = _open_pool(env_fns, self.autoreset_mode, workers)
        self._is_kept = self._pool.keep_results()  # see EnvPool
        try:
            self._take_over(self._pool)
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

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes.

        Args:
            seed: An integer s, which gives environment i the seed s + i; or a list with an integer
                or None for each environment.
            options: Passed to every environment's ``reset``. A ``reset_mask`` in it, an array of
                ``num_envs`` bools, is removed from the dict and resets only some environments.

        Returns:
            ``(observations, infos)`` with a row for every environment. Those that were not reset
            have their last observation, and no infos.

        Raises:
            TypeError, ValueError: An argument is not valid.
            gymnasium.error.ResetNeeded: There is a mask, and an earlier call was interrupted, whose
                results :meth:`recv` returns.
            gymnasium.error.ClosedEnvironmentError: After ``close()``.
            Exception: What an environment raises. The others are reset, and their rows are in the
                ``results`` of the EnvironmentFailure that is its cause.
        """
        ids, seeds = self._check_reset(seed, options)
        self._is_resetting = True
        results: tuple[Any, dict[str, Any]]
        results = self._run(lambda: self._pool.reset(ids, seeds, options, True))
        self._is_kept[0] = False
        return results

    def _check_reset(self, seed: Any, options: Any) -> tuple[NDArray[np.int32] | None, list[Any]]:
        """The environments to reset, None for all of them, and their seeds."""
        self._require_ready("reset_async")
        seeds = each_seed(seed, self.num_envs)
        mask = take_reset_mask(options, self.num_envs)
        if mask is None:
            self._pool.native.discard()  # what an interrupted call may have left
            self._begun = True
            return None, seeds
        self._require_results()
        self._begin(np.flatnonzero(~mask))
        ids = np.flatnonzero(mask).astype(np.int32)
        return ids, [seeds[i] for i in ids]

    def _begin(self, env_ids: NDArray[np.intp]) -> None:
        """Lets environments go on that were not reset: their makers may have done that."""
        if not self._begun:
            self._run(lambda: self._pool.skip_reset(env_ids.tolist()))
            self._begun = True

    def step(self, actions: Any) -> Any:
        """Steps all environments.

        Args:
            actions: A batch of actions, as ``action_space`` describes it.

        Returns:
            ``(observations, rewards, terminations, truncations, infos)``; rewards are float64.

        Raises:
            TypeError, ValueError: The actions are not valid, or there is a wrong number of them.
            RuntimeError: An environment has failed, or its episode is over and there is no
                auto-reset.
            gymnasium.error.ResetNeeded: An earlier call was interrupted, until :meth:`recv` has
                returned its results.
            gymnasium.error.ClosedEnvironmentError: After ``close()``.
            Exception: What an environment raises. The others are stepped, and their rows are in the
                ``results`` of the EnvironmentFailure that is its cause.
        """
        self._prepare_step()
        results = self._run(lambda: self._pool.step(actions, None))
        self._is_kept[0] = False
        return results

    def _prepare_step(self) -> None:
        self._require_ready("step_async")
        self._require_results()
        if not self._begun:
            self._begin(np.arange(self.num_envs))
        self._is_resetting = False

    def recv(self, timeout: float | None = None) -> Any:
        """Returns the results of a call that Ctrl-C, or another signal's handler, has interrupted.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            What that :meth:`reset` or :meth:`step` would have returned.

        Raises:
            RuntimeError: There is no such call.
            TimeoutError: The time is over.
            gymnasium.error.ClosedEnvironmentError: After ``close()``.
            Exception: What an environment has raised in it.
        """
        self._require_open()
        results = self._run(lambda: self._pool.recv(self._is_resetting, timeout))
        self._is_kept[0] = False
        return results

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
        each = each_value(values, self.num_envs)
        self._run(lambda: self._pool.set_attr(name, each))

    def stats(self, reset: bool = False) -> PythonPoolStats:
        """See :meth:`envpool.flavours.base.EnvPool.stats`."""
        self._require_open()
        return PythonPoolStats.from_native(self._pool.stats(bool(reset)))

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

    def _run(self, call: Callable[[], Any]) -> Any:
        """Returns what the call returns, and raises what environments themselves have raised."""
        try:
            return call()
        except EnvironmentFailure as failure:
            self._log(failure)
            if failure.results is not None:
                self._is_kept[0] = False
            raise_own_error(failure)

    def _log(self, failure: EnvironmentFailure) -> None:
        """Says what Gymnasium's says of failures before it raises an exception."""

    def _check_call(self, name: str) -> None:
        """Refuses a call of environments; see :meth:`call`."""
        self._require_ready("call_async")

    def _require_ready(self, method: str) -> None:
        """Refuses a method after :meth:`close`, and where there are others that it must not follow.

        Args:
            method: What Gymnasium calls it then.
        """
        self._require_open()

    def _require_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError(
                f"Trying to operate on `{type(self).__name__}`, after a call to `close()`."
            )

    def _require_results(self) -> None:
        """Refuses to go on while there are results that would be taken for the next call's."""
        if self._pool.owes():
            raise ResetNeeded(
                "recv() the results of an earlier call, which did not wait for its end, or reset() "
                "all environments"
            )

    def __enter__(self) -> PoolVectorEnv:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        refuse_pickling(self)


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
        max_failures: How many exceptions the latter survives.

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
        max_failures: int = MOST_FAILURES,
    ) -> None:
        super().__init__(
            env_fns,
            copy,
            observation_mode,
            autoreset_mode,
            num_workers=0,
            on_failure=on_failure,
            max_failures=max_failures,
        )
        self.envs: list[Any] = self._pool.environments


def _open_pool(
    env_fns: Sequence[Callable[[], Any]], autoreset_mode: AutoresetMode, workers: dict[str, Any]
) -> PythonPool:
    """A synchronous pool whose results are to the letter those of Gymnasium's SyncVectorEnv.

    Args:
        env_fns: Makes the environments, one each.
        autoreset_mode: What follows the end of an episode.
        workers: How the environments are run, as :class:`PoolOptions` has it.

    Raises:
        ValueError: There are no environments, or an option is not what it must be.
        Exception: What one of ``env_fns`` raises.
    """
    options = PoolOptions(
        num_envs=len(env_fns),
        batch_size=len(env_fns),
        autoreset_mode=autoreset_mode,
        reward_dtype="float64",
        check_actions=False,
        raw_infos=True,
        **workers,
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
