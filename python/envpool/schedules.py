"""Schedules: what the episodes of a pool's environments begin with, chosen by the caller."""

from __future__ import annotations

import dataclasses
import functools
import weakref
from collections.abc import Callable, Mapping
from typing import Any

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


# What is asked with (env_id, index): the index counts that environment's episodes from 0.
Schedule = Callable[[int, int], Episode | None]


def read_schedule(given: Any, num_envs: int) -> Schedule | list[list[Episode | None]]:
    """The schedule in what a caller gives, or all episodes, of each environment or of any.

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
        schedule: Schedule = given.next
        return schedule
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
        return [[Episode(seed) for seed in seeds] for seeds in given.tolist()]
    is_list = isinstance(given, list | tuple)
    if not is_list or not all(isinstance(each, Episode | None) for each in given):
        raise TypeError(
            f"episodes is {shown(given)}, expected an object with next(env_id, index), a function, "
            "an array of seeds (num_envs, k), or a list of envpool.curriculum.Episode"
        )
    if not given:
        raise ArgumentError("episodes is an empty list, expected one Episode or more")
    return [list(given)]


class Chooser:
    """Has a pool's environments begin the episodes of a schedule.

    The pool calls it before it steps or resets environments that have no chosen next episode. So an
    answer depends on the environment and on how many episodes it has had,
    and never on threads. What the schedule raises comes out of that call, which has done nothing,
    and can be made again.

    Args:
        pool: The pool.
        given: What :func:`read_schedule` takes.
        num_envs: How many environments there are.
        read: Checks an episode, and turns it into what ``pool.set_next`` takes.
        most_ahead: How many known episodes of an environment the pool takes at a time.
    """

    def __init__(
        self,
        pool: Any,
        given: Any,
        num_envs: int,
        read: Callable[[int, Episode], Any],
        most_ahead: int,
    ) -> None:
        self._pool = weakref.proxy(pool)  # it is the face's, as this object
        self._ahead = 1
        schedule = read_schedule(given, num_envs)
        if isinstance(schedule, list):
            episodes = [schedule[env_id % len(schedule)] for env_id in range(num_envs)]
            known = [[read(i, each or Episode()) for each in own] for i, own in enumerate(episodes)]
            if not any(each is not None and each.state for own in schedule for each in own):
                self._ahead = min(most_ahead, *map(len, schedule))  # states may be large
            self._next_of = functools.partial(_known_next, known, self._ahead)
        else:
            self._next_of = functools.partial(_asked_next, schedule, read)
        self._indices = [0] * num_envs  # of the episodes that are asked for next

    def __call__(self, ids: list[int]) -> None:
        """Asks for the next episodes of these environments."""
        said: list[Any] = []
        try:
            for env_id in ids:
                said.append(self._next_of(env_id, self._indices[env_id]))
        finally:  # nobody is asked twice
            answered = ids[: len(said)]
            self._pool.set_next(said, answered)
            for env_id in answered:
                self._indices[env_id] += self._ahead


def _known_next(known: list[list[Any]], count: int, env_id: int, index: int) -> Any:
    """What the pool takes for so many episodes of an environment, which are known."""
    own = known[env_id]
    if count == 1:
        return own[index % len(own)]
    return [own[i % len(own)] for i in range(index, index + count)]


def _asked_next(
    schedule: Schedule, read: Callable[[int, Episode], Any], env_id: int, index: int
) -> Any:
    """What the pool takes for an episode of an environment, for which a schedule is asked."""
    try:
        episode = schedule(env_id, index)
        if not isinstance(episode, Episode | None):
            raise TypeError(f"it returned {shown(episode)}, expected an Episode or None")
        return read(env_id, episode or Episode())
    except Exception as error:
        error.add_note(f"episodes was asked for episode {index} of environment {env_id}")
        raise
