"""Schedules: what the episodes of a pool's environments begin with, chosen by the caller."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable, Mapping, Sequence
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


_AS_WITHOUT = Episode()


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


class ScheduledPool:
    """A pool whose environments begin the episodes of a schedule; it is called like that pool.

    Before a call that sends something, the schedule is asked for the next episode of each
    environment whose last answer has begun. So an answer depends on the environment and on how many
    episodes it has had, and never on threads. What the schedule raises comes out of that call,
    which has done nothing, and can be made again.

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
        self._pool, self._take_begun, self._step = pool, pool.take_begun, pool.step
        self._read = read
        schedule = read_schedule(given, num_envs)
        if isinstance(schedule, list):
            known = [
                [read(env, each or _AS_WITHOUT) for each in schedule[env % len(schedule)]]
                for env in range(num_envs)
            ]
            self._next_of = functools.partial(_known_next, known, most_ahead)
            self._ahead = most_ahead
        else:
            self._next_of = functools.partial(_asked_next, schedule, read)
            self._ahead = 1
        self._indices = [0] * num_envs  # of the episodes that the schedule is asked for next
        self._waiting = list(range(num_envs))  # for an answer
        self._lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def step(self, action: Any, env_id: Any) -> Any:
        """Steps, as the pool does."""
        self._choose()
        return self._step(action, env_id)

    def send(self, *arguments: Any) -> None:
        """Starts steps, as the pool does."""
        self._choose()
        self._pool.send(*arguments)

    def reset(self, *arguments: Any) -> Any:
        """Resets, as the pool does."""
        self._choose()
        return self._pool.reset(*arguments)

    def send_reset(self, *arguments: Any) -> None:
        """Starts resets, as the pool does."""
        self._choose()
        self._pool.send_reset(*arguments)

    def set_next(self, episodes: Sequence[Any], env_id: Any) -> None:
        """Puts episodes in the place of those that the schedule has chosen.

        None stands for one that begins as without a schedule.
        """
        self._choose()
        nothing = self._read(0, _AS_WITHOUT)
        self._pool.set_next([nothing if each is None else each for each in episodes], env_id)

    def open_port(self, *_: Any) -> int:
        """Refuses: compiled programs run without Python, which would have to ask the schedule."""
        raise RuntimeError(
            "xla() is not available for pools made with episodes=...: a compiled program cannot "
            "ask for the next episode"
        )

    def _choose(self) -> None:
        """Asks for the episodes of all environments that wait for one."""
        with self._lock:
            self._waiting += self._take_begun()
            if not self._waiting:
                return
            ids = sorted(self._waiting)
            self._pool.set_next(
                [self._next_of(env_id, self._indices[env_id]) for env_id in ids], ids
            )
            self._waiting.clear()
            for env_id in ids:
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
        return read(env_id, episode or _AS_WITHOUT)
    except Exception as error:
        error.add_note(f"episodes was asked for episode {index} of environment {env_id}")
        raise
