"""AsyncVectorEnv: environments of the caller's own, run in worker processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn

from gymnasium import logger
from gymnasium.error import AlreadyPendingCallError, NoAsyncCallError

from envpool.errors import EnvironmentFailure, shown
from envpool.spec.values import MOST_FAILURES, AutoresetMode
from envpool.vector.arguments import choose_workers
from envpool.vector.spaces import ObservationMode
from envpool.vector.sync_env import PoolVectorEnv

# What call() refuses, because the pool would not know of it.
_OWN_METHODS = ("reset", "step", "close", "_setattr", "_check_spaces")


class AsyncVectorEnv(PoolVectorEnv):
    """Does what ``gymnasium.vector.AsyncVectorEnv`` does: runs environments in worker processes.

    A worker runs several environments, and writes their observations directly into the arrays that
    a call returns. If an environment raises an exception, the others go on, and it cannot be used
    until it is reset. If a worker is killed, this holds for all of its environments, and their
    reset starts it again. While a call that was begun is not waited for, all others are refused.

    Args:
        env_fns: A function for each environment that makes it, and that cloudpickle can pickle. The
            functions are called only in the workers.
        shared_memory: True: observations are converted to their space's type, whatever they are, as
            Gymnasium's shared memory does. Arrays use shared memory in any case; all else is
            pickled.
        copy: For compatibility. Results belong to the caller: no later call writes to them.
        context: How workers start: ``"spawn"`` (also None), ``"forkserver"`` or ``"fork"``. None of
            them runs the main module again.
        daemon: For compatibility. No worker outlives this process, and all may have children.
        worker: Must be None: a function for Gymnasium's workers serves a pipe, and there is none.
        observation_mode: See :class:`envpool.vector.SyncVectorEnv`.
        autoreset_mode: See :class:`envpool.vector.SyncVectorEnv`.
        max_concurrency: How many environments may run at the same time; None: as many as possible.
        num_workers: How many processes. None: one for each environment, but no more than there are
            cores, or than 12 if there are fewer cores, so that some can wait at the same time;
            cheap environments are fastest with one per core. 0: this thread runs them, for
            debugging.
        worker_threads: How many environments of a worker can run at the same time, if they release
            the GIL while they wait. It must be 1 for environments that are bound to a thread, as by
            OpenGL.
        step_timeout: Seconds after which a step or reset of an environment counts as hanging, and
            its worker is killed. None: never.
        on_failure: See :class:`envpool.vector.SyncVectorEnv`.
        max_failures: See there.
        episodes: See there.

    Raises:
        RuntimeError: The environments' spaces do not fit together.
        ValueError: There are no environments, or an argument is not valid.
        Exception: What one of ``env_fns`` raises.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        shared_memory: bool = True,
        copy: bool = True,
        context: str | None = None,
        daemon: bool = True,
        worker: None = None,
        observation_mode: ObservationMode = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_concurrency: int | None = None,
        *,
        num_workers: int | None = None,
        worker_threads: int = 1,
        step_timeout: float | None = None,
        on_failure: Literal["raise", "reset"] = "raise",
        max_failures: int | None = MOST_FAILURES,
        episodes: Any = None,
    ) -> None:
        if worker is not None:
            raise ValueError(
                f"worker is {shown(worker)}, expected None: here no process serves an "
                "environment's pipe. What a worker does otherwise can be done by a wrapper around "
                "the environment, or with gymnasium.vector.AsyncVectorEnv"
            )
        self.shared_memory = shared_memory
        self.context = context
        self.daemon = daemon
        self.worker = worker
        self.max_concurrency = max_concurrency
        workers = choose_workers(len(env_fns), num_workers, worker_threads, max_concurrency)
        super().__init__(
            env_fns,
            copy,
            observation_mode,
            autoreset_mode,
            num_workers=workers[0],
            worker_threads=workers[1],
            start_method=multiprocessing.get_context(context or "spawn").get_start_method(),
            step_timeout=step_timeout,
            on_failure=on_failure,
            max_failures=max_failures,
            episodes=episodes,
            cast_observations=shared_memory,
        )
        self._pending = ""  # "reset", "step" or "call", if one was begun and not waited for
        self._await_call: Callable[[float | None], list[Any]] | None = None

    def reset_async(
        self, seed: int | Sequence[int | None] | None = None, options: Any = None
    ) -> None:
        """Starts resets and returns at once; arguments and errors as for :meth:`reset`.

        Raises:
            gymnasium.error.AlreadyPendingCallError: Another call was begun and not waited for.
        """
        arguments = self._begin_reset(seed, options)
        self._run(lambda: self._pool.send_reset(*arguments))
        self._pending = "reset"

    def reset_wait(self, timeout: float | None = None) -> tuple[Any, dict[str, Any]]:
        """Waits for what :meth:`reset_async` has begun; returns what :meth:`reset` does.

        Args:
            timeout: Seconds to wait at most.

        Raises:
            gymnasium.error.NoAsyncCallError: It has begun nothing.
            multiprocessing.TimeoutError: The time is over. What comes later is returned by
                :meth:`recv`, or by this method if it is called again, and dropped by
                :meth:`reset`.
        """
        results: tuple[Any, dict[str, Any]] = self._await("reset", timeout)
        return results

    def step_async(self, actions: Any) -> None:
        """Starts a step of all environments and returns at once; see :meth:`step`.

        Raises:
            gymnasium.error.AlreadyPendingCallError: Another call was begun and not waited for.
        """
        actions = self._begin_step(actions)
        self._run(lambda: self._pool.send(actions, None))
        self._pending = "step"

    def step_wait(self, timeout: float | None = None) -> Any:
        """Waits for what :meth:`step_async` has begun; returns what :meth:`step` does.

        Args:
            timeout: Seconds to wait at most.

        Raises:
            gymnasium.error.NoAsyncCallError: It has begun nothing.
            multiprocessing.TimeoutError: The time is over. What comes later is returned by
                :meth:`recv`, or by this method if it is called again, and dropped by
                :meth:`reset`.
        """
        return self._await("step", timeout)

    def call_async(self, name: str, /, *args: Any, **kwargs: Any) -> None:
        """Starts a call of a method of all environments and returns at once; see :meth:`call`.

        Raises:
            ValueError: The method is one that the vector environment has itself.
            gymnasium.error.AlreadyPendingCallError: Another call was begun and not waited for.
        """
        self._check_call(name)
        self._await_call = self._run(lambda: self._pool.begin_call(name, args, kwargs))
        self._pending = "call"

    def call_wait(self, timeout: float | None = None) -> tuple[Any, ...]:
        """Waits for what :meth:`call_async` has begun; returns what :meth:`call` does.

        Args:
            timeout: Seconds to wait at most.

        Raises:
            gymnasium.error.NoAsyncCallError: It has begun nothing.
            multiprocessing.TimeoutError: The time is over. The environments are called
                nevertheless, before what they are called for next.
        """
        self._take_pending("call")
        await_call, self._await_call = self._await_call, None
        assert await_call is not None
        return tuple(self._run(lambda: self._in_time("call", await_call, timeout)))

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:
        """See :meth:`PoolVectorEnv.close_extras`. A call that was begun is waited for, too."""
        if self._pending:
            logger.warn(
                f"Calling `close` while waiting for a pending call to `{self._pending}` to "
                "complete."
            )
            try:
                getattr(self, f"{self._pending}_wait")(0 if terminate else timeout)
            except multiprocessing.TimeoutError:
                terminate = True
        super().close_extras(timeout=timeout, terminate=terminate)

    def _check_call(self, name: str) -> None:
        super()._check_call(name)
        if name in _OWN_METHODS:
            raise ValueError(
                f"Trying to call function `{name}` with `call`, use `{name}` directly instead."
            )

    def _require_ready(self, method: str) -> None:
        super()._require_ready(method)
        if self._pending:
            raise AlreadyPendingCallError(
                f"Calling `{method}` while waiting for a pending call to `{self._pending}` to "
                "complete.",
                self._pending,
            )

    def _take_pending(self, kind: str) -> None:
        """Whatever comes of the call that is waited for, it is pending no more.

        But after an interruption it can be waited for again.
        """
        last = "step" if self._begun is None else "reset"
        is_interrupted = self._pool.has_open() and kind == last
        if self._pending != kind and not is_interrupted:
            raise NoAsyncCallError(
                f"Calling `{kind}_wait` without any prior call to `{kind}_async`.", kind
            )
        self._pending = ""

    def _await(self, kind: str, timeout: float | None) -> Any:
        """Waits for the results of a reset or step."""
        self._take_pending(kind)
        return self._in_time(kind, self.recv, timeout)

    def _in_time(
        self, kind: str, call: Callable[[float | None], Any], timeout: float | None
    ) -> Any:
        """Returns what the call returns, and says in Gymnasium's words that the time is over."""
        try:
            return call(timeout)
        except TimeoutError:
            raise multiprocessing.TimeoutError(
                f"The call to `{kind}_wait` has timed out after {timeout} second(s)."
            ) from None

    def _fail(self, failure: EnvironmentFailure) -> NoReturn:
        # In the words of Gymnasium, for which its own tests and filters of logs look.
        for env_id, trace in zip(failure.env_ids, failure.tracebacks, strict=True):
            logger.error(f"Received the following error from Worker-{env_id} - Shutting it down")
            logger.error("%s", trace)
        logger.error("Raising the last exception back to the main process.")
        super()._fail(failure)
