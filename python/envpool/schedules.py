"""Schedules: what the episodes of a pool's environments begin with, chosen by the caller."""

from __future__ import annotations

import dataclasses
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from envpool.errors import ArgumentError, shown


@dataclasses.dataclass(frozen=True, slots=True)
class Episode:
    """What an episode begins with.

    Attributes:
        seed: As ``reset`` takes it for this environment; None: its random generator goes on.
        options: Reset options; None: the defaults.
        state: One that ``get_state`` returned, in which the episode begins, instead of the others.
    """

    seed: int | None = None
    options: Mapping[str, Any] | None = None
    state: bytes | None = None


@dataclasses.dataclass(frozen=True)
class RunningEpisode:
    """What an environment's running episode began with, whoever began it.

    Attributes:
        index: Which of its episodes it is, from 0 in each pool; -1 before the first one.
        seed: None: its random generator went on.
        options: Reset options, with the values of those that were left out; None: the defaults.
        from_state: True if it began in a state.
    """

    index: int
    seed: int | None = None
    options: dict[str, Any] | None = None
    from_state: bool = False


class Schedule(Protocol):
    """What says how each episode of each environment begins."""

    def next(self, env_id: int, index: int) -> Episode | None:
        """Returns what an episode begins with.

        Args:
            env_id: The environment.
            index: Which of its episodes, from 0.
        """


Ask = Callable[[int, int], Episode | None]  # a schedule's next


class Cycle:
    """Episodes that are known: the same again and again.

    Args:
        episodes: Those of each environment, or of any.
    """

    def __init__(self, episodes: Sequence[Sequence[Episode | None]]) -> None:
        self._episodes = episodes
        self.has_states = any(each and each.state for own in episodes for each in own)

    def of(self, env_id: int) -> Sequence[Episode | None]:
        """Those of an environment."""
        return self._episodes[env_id % len(self._episodes)]

    def __call__(self, env_id: int, index: int) -> Episode | None:
        """See :meth:`Schedule.next`."""
        own = self.of(env_id)
        return own[index % len(own)]


def read_schedule(given: Any, num_envs: int) -> Ask:
    """What is to be asked of the schedule that a caller gives.

    Args:
        given: An object with such a method ``next``, a function, an array of seeds of shape
            ``(num_envs, k)``, or a list of episodes for all environments. The last two begin again
            at their ends.
        num_envs: How many environments there are.

    Raises:
        TypeError: It is none of them.
        ValueError: There are no episodes, or the array has another shape.
    """
    if callable(getattr(given, "next", None)):
        return given.next  # type: ignore[no-any-return]
    if callable(given):
        return given  # type: ignore[no-any-return, unused-ignore]
    if isinstance(given, np.ndarray):
        if given.ndim != 2 or len(given) != num_envs or not given.size:  # noqa: PLR2004
            raise ArgumentError(
                f"episodes is an array of shape {given.shape}, expected seeds of shape "
                f"(num_envs, k) = ({num_envs}, k), k > 0"
            )
        if given.dtype.kind not in "iu":
            raise TypeError(f"episodes is an array of {given.dtype}, expected integers, the seeds")
        return Cycle([[Episode(seed) for seed in seeds] for seeds in given.tolist()])
    is_list = isinstance(given, list | tuple)
    if not is_list or not all(isinstance(each, Episode | None) for each in given):
        raise TypeError(
            f"episodes is {shown(given)}, expected an object with next(env_id, index), a function, "
            "an array of seeds (num_envs, k), or a list of envpool.curriculum.Episode"
        )
    if not given:
        raise ArgumentError("episodes is an empty list, expected one Episode or more")
    return Cycle([list(given)])


class Chooser:
    """Asks a schedule for what episodes begin with, and tells the pool.

    The pool calls it before it steps or resets environments of whose next episode nothing is
    chosen. So an answer depends on the environment and on how many episodes it has had, and never
    on threads. What the schedule raises comes out of that call, which has done nothing, and can be
    made again.

    Args:
        pool: The pool.
        ask: The schedule.
        read: Checks an episode of an environment, and turns it into what ``pool.set_next`` takes.
    """

    def __init__(self, pool: Any, ask: Ask, read: Callable[[int, Episode], Any]) -> None:
        self._pool = weakref.proxy(pool)  # it is the face's, as this object
        self._ask, self._read = ask, read
        self._asking: set[int] = set()  # threads

    def __call__(self, lacking: list[tuple[int, int]]) -> None:
        """Chooses the next episodes of environments, of each of which so many have begun."""
        chosen: list[Any] = []
        thread = threading.get_ident()
        if thread in self._asking:
            raise RuntimeError("the schedule in episodes steps or resets the pool that asks it")
        self._asking.add(thread)
        try:
            for env_id, index in lacking:
                chosen.append(self._choose(env_id, index))
        finally:  # nobody is asked twice
            self._asking.remove(thread)
            self._pool.set_next(chosen, [env_id for env_id, _ in lacking[: len(chosen)]])

    def _choose(self, env_id: int, index: int) -> Any:
        try:
            episode = self._ask(env_id, index)
            if not isinstance(episode, Episode | None):
                raise TypeError(f"it returned {shown(episode)}, expected an Episode or None")
            return self._read(env_id, episode or Episode())
        except Exception as error:
            error.add_note(f"episodes was asked for episode {index} of environment {env_id}")
            raise
