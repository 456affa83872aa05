"""Face: what all faces of a pool share, whatever its workers are; WholeFace steps it as a whole.

A face adds what goes in, by its methods' arguments, and what comes out, by ``_to_output``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Self

from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from numpy.typing import ArrayLike

from envpool.errors import ArgumentError, EnvironmentFailure
from envpool.flavours.arguments import episodes_for, one_of, read_episode
from envpool.schedules import Chooser, Cycle, Episode, RunningEpisode, read_schedule
from envpool.spec.env_spec import EnvSpec
from envpool.stats import PoolStats


class Settled:
    """An attribute that is settled when a pool is made, and refuses another value later."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, pool: Any, owner: type | None = None) -> Any:
        if pool is None or self._name in vars(pool):
            return self if pool is None else vars(pool)[self._name]
        raise AttributeError(f"{type(pool).__name__!r} object has no attribute {self._name!r}")

    def __set__(self, pool: Any, value: Any) -> None:
        if vars(pool).setdefault(self._name, value) != value:
            raise AttributeError(f"{self._name} cannot be set: give it to what makes the pool")


class Face:
    """A pool as its callers see it: a base of the classes of all APIs."""

    closed = True  # until it is made: an older Gymnasium's __del__ closes what is open
    viewer = None  # an older Gymnasium's close() looks for it
    num_envs: int
    _pool: Any  # the native one, or a PythonPool, which is called like one
    _native_spec: EnvSpec | None = None  # of native environments

    def _to_output(self, results: Any) -> Any:
        """Turns the pool's results into those of this face."""
        return results

    def _hand_over(self, failure: EnvironmentFailure) -> None:
        """Gives a failure the other environments' results as this face returns them."""
        count, most = self._pool.survived_failures()
        if 0 < most <= count:
            failure.add_note(f"{count} failures were survived before, and max_failures is {most}")
        if failure.results is not None:  # a refused call has none
            failure.results = self._to_output(failure.results)

    def _fail(self, failure: EnvironmentFailure) -> NoReturn:
        """Raises a failure as this face does."""
        self._hand_over(failure)
        raise failure

    def next_episode(
        self,
        env_id: ArrayLike | None = None,
        seed: Any = None,
        options: Any = None,
        state: Any = None,
        *,
        env_ids: ArrayLike | None = None,
    ) -> None:
        """Says what the next episodes of environments begin with, whoever begins them.

        That is an automatic reset, or a reset that is given neither seed nor options; one that is
        replaces what was said here. It holds for one episode. Say it before the step that ends an
        episode (``SameStep``), or before the one that resets (``NextStep``). Without ``seed``,
        ``options`` and ``state``, what was said is taken back.

        Args:
            env_id: The environments, integers; all of them if left out.
            seed: As for ``reset``: an integer s, which gives environment i the seed s + i, or one
                integer or None for each of them.
            options: As for ``reset``, or a list with one for each of them.
            state: Of ``get_state``, in which the episode begins, with a length and a return of 0;
                or a list with one for each of them. Only for native environments, and instead of
                the others.
            env_ids: Another name of ``env_id``.

        Raises:
            TypeError, ValueError: An argument is not valid. Nothing has changed then.
            RuntimeError: An environment is running.
        """
        ids = self._pool.idle_ids(one_of(env_id, env_ids))
        episodes = episodes_for(ids, self.num_envs, seed, options, state)
        read = functools.partial(read_episode, self._native_spec)
        self._pool.set_next(list(map(read, ids, episodes)), ids)

    def episodes(
        self, env_id: ArrayLike | None = None, *, env_ids: ArrayLike | None = None
    ) -> list[RunningEpisode]:
        """Tells which episodes run, and what they began with, whoever began them.

        A state that ``set_state`` sets begins none.

        Args:
            env_id: The environments, integers; all of them if left out.
            env_ids: Another name of ``env_id``.

        Returns:
            One for each environment, in the order of the ids.

        Raises:
            TypeError, ValueError: The ids are not valid.
            RuntimeError: An environment is running.
        """
        told = self._pool.episodes(one_of(env_id, env_ids))
        return [RunningEpisode(count - 1, *(choice or ())) for count, choice in told]

    def _follow(self, schedule: Any, records: bool) -> None:
        """Has all episodes begin as a schedule says; see :func:`read_schedule` for its forms.

        Args:
            schedule: The schedule.
            records: True if the pool is recorded, which notes an episode when it is chosen.
        """
        ask = read_schedule(schedule, self.num_envs)
        read = functools.partial(read_episode, self._native_spec)
        if isinstance(ask, Cycle) and not ask.has_states and self._native_spec and not records:
            for env_id in range(self.num_envs):
                own = [read(env_id, each or Episode()) for each in ask.of(env_id)]
                self._pool.set_all(env_id, own)
        else:
            self._chooser = Chooser(self._pool, ask, read)
            self._pool.choose_by(self._chooser)

    def stats(self, reset: bool = False) -> PoolStats:
        """Counts what the pool did and where its time went.

        Args:
            reset: Start counting from zero after this call.
        """
        return PoolStats(**self._pool.stats(bool(reset)))

    if TYPE_CHECKING:

        def close(self, **kwargs: Any) -> None: ...  # noqa: D102

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a {type(self).__name__} has threads and cannot be pickled or copied: "
            "pickle its spec and make a new one, and take the environments' states along with "
            "get_state() and set_state()"
        )


class WholeFace(Face):
    """Resets and steps a synchronous pool as a whole, one call after the other.

    What an interrupted call has left is returned by :meth:`recv`, or dropped by a reset of all;
    until then other calls are refused.
    """

    render_mode = Settled()
    autoreset_mode = Settled()
    _begun: Any = None  # what the face notes of a reset; None if the last call was a step
    _was_reset = False  # True if all were reset
    _is_waiting = False  # True from the beginning of a call until it has its results
    _shows = False  # True if `render` shows the environments after each reset and step

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, Any]:
        """Starts new episodes.

        Args:
            seed: An integer s, which gives environment i the seed s + i, or a list with an integer
                or None for each environment. Environments without a seed continue with their random
                generators.
            options: ``reset_mask``, an array of ``num_envs`` bools, resets only some environments.
                It is removed from the dict, as ``SyncVectorEnv`` does, because Gymnasium's wrappers
                rely on that. The rest are reset options of the task, or what ``reset`` of
                environments written in Python is called with.

        Returns:
            ``(observations, infos)`` with a row for every environment. Those that were not reset
            have their last observation, and no infos.

        Raises:
            TypeError, ValueError: An argument is not valid. (A seed of a native environment:
                an error that is both, and Gymnasium's ``Error``.)
            envpool.errors.EnvironmentFailure: An environment failed; the others were reset. (Of
                vector environments of the caller's own: what it has raised, whose cause is this.)
            gymnasium.error.ResetNeeded: A mask leaves out environments that were never reset, or
                there is one after a call that was interrupted.
            gymnasium.error.ClosedEnvironmentError: After ``close()``.
        """
        return self._take(self._pool.reset, *self._begin_reset(seed, options))  # type: ignore[no-any-return]

    def step(self, actions: Any) -> Any:
        """Steps all environments.

        Args:
            actions: A batch of actions, as ``action_space`` describes it.

        Returns:
            ``(observations, rewards, terminations, truncations, infos)``; rewards are float64.

        Raises:
            TypeError, ValueError: The actions are not valid, or there is a wrong number of them.
            RuntimeError: An environment has failed before, or its episode is over and there is no
                auto-reset.
            envpool.errors.EnvironmentFailure: An environment failed; the others were stepped. (Of
                vector environments of the caller's own: what it has raised, whose cause is this.)
            gymnasium.error.ResetNeeded: Before the first ``reset()``, and after a call that Ctrl-C
                has interrupted, until :meth:`recv` has returned its results.
            gymnasium.error.ClosedEnvironmentError: After ``close()``.
        """
        return self._take(self._pool.step, self._begin_step(actions), None)

    def recv(self, timeout: float | None = None) -> Any:
        """Returns the results of a call that Ctrl-C, or another signal's handler, has interrupted.

        Args:
            timeout: Seconds to wait at most.

        Returns:
            What that ``reset`` or ``step`` would have returned.

        Raises:
            RuntimeError: There is no such call.
            TimeoutError: The time is over.
            envpool.errors.EnvironmentFailure: An environment has failed in it. (Of vector
                environments of the caller's own: what it has raised.)
            gymnasium.error.ClosedEnvironmentError: After ``close()``.
        """
        if not self._pool.has_open():
            raise RuntimeError("no call was interrupted, so there are no results to return")
        return self._take(self._pool.recv, self._begun is not None, timeout)

    def _begin_reset(self, seed: Any, options: Any) -> tuple[Any, ...]:
        """Begins a reset; returns what that of the pool is called with. Errors: its."""
        raise NotImplementedError

    def _begin_step(self, actions: Any) -> Any:
        """Begins a step; returns the pool's actions. Errors: its."""
        self._begin(None)
        return actions

    def _begin(self, begun: Any, resets_all: bool = False) -> None:
        """Begins a call.

        Args:
            begun: What ``_to_output`` needs to know of a reset; None: it is a step.
            resets_all: True if it resets all, which drops what an interrupted call has left.

        Raises:
            gymnasium.error.ResetNeeded: There was no reset of all yet, or an earlier call was
                interrupted.
        """
        if resets_all:
            self._pool.discard()
        elif not self._was_reset:
            raise ResetNeeded(
                "reset() the environments before a step()"
                if begun is None
                else "reset() all environments before only some of them"
            )
        elif self._is_waiting and self._pool.has_open():
            raise ResetNeeded(
                "an earlier call was interrupted: recv() its results, or reset() all environments"
            )
        self._begun, self._is_waiting = begun, True

    def _take(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Returns the results of the call that was begun, by a method of the pool."""
        try:
            results = call(*arguments)
        except EnvironmentFailure as failure:
            self._is_waiting = False
            self._fail(failure)
        except (ArgumentError, TypeError) as error:
            self._refuse(error, *arguments)
            raise
        self._is_waiting = False
        output = self._to_output(results)
        if self._shows:
            self.render()
        return output

    def _refuse(self, error: Exception, *arguments: Any) -> None:
        """Raises what the face says instead of the pool's error about arguments, if it does."""

    def render(self) -> Any:
        """Draws the environments."""
        raise NotImplementedError


class ClosedPool:
    """Stands for the pool of a face that stays closed.

    Args:
        message: What all calls raise a ClosedEnvironmentError with. A ``{}`` in it is what was
            called.
        names: What the pool's methods are called for, where that is always the same.
    """

    def __init__(self, message: str, names: dict[str, str] | None = None) -> None:
        self._message = message
        self._names = names or {}

    def __getattr__(self, name: str) -> NoReturn:
        called = f"{self._names[name]}()" if name in self._names else "this"
        raise ClosedEnvironmentError(self._message.format(called))
