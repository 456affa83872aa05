"""Schedules: which level an environment's next episode plays, whatever happened before."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from envpool.curriculum.levels import Level, as_episode, checked_levels, checked_number
from envpool.errors import ArgumentError, shown
from envpool.schedules import Episode, Schedule
from envpool.spec.values import MOST_ENVS, check_seed, integer

_BLOCK = 64  # draws that are made together, which is quicker


@functools.lru_cache(maxsize=4096)
def _draws(seed: int, stream: int, env_id: int, block: int) -> list[float]:
    generator = np.random.default_rng([seed, stream, env_id, block])
    return generator.random(_BLOCK).tolist()  # type: ignore[no-any-return]


def draw(seed: int, env_id: int, number: int, stream: int = 0) -> float:
    """A random number from 0 to 1 for one episode, which depends on no other draw.

    Args:
        seed: The schedule's.
        env_id: The environment.
        number: That of its episode.
        stream: What differs where several schedules draw for the same episode.
    """
    return _draws(seed, stream, env_id, number // _BLOCK)[number % _BLOCK]


class Resumable:
    """A schedule that can go on in another pool, which counts its episodes from 0 again.

    What it returns is a function of its numbers of environments and episodes. An episode's number
    is its index in its pool, and above that what earlier pools have asked for.
    """

    def __init__(self) -> None:
        self._first: dict[int, int] = {}  # the numbers of the pool's first episodes
        self._asked: dict[int, int] = {}  # the numbers that were asked for last

    def state_dict(self) -> dict[str, Any]:
        """Returns what :meth:`load_state_dict` needs, of lists and numbers only."""
        count = max(self._asked, default=-1) + 1
        return {"asked": [self._asked.get(env_id, 0) for env_id in range(count)], **self._state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next pool begin with the episodes that a former one would have begun next.

        Args:
            state: What ``state_dict`` of a schedule with the same arguments has returned.

        Raises:
            ArgumentError: It is the state of another schedule.
        """
        try:
            first = {env_id: int(number) for env_id, number in enumerate(state["asked"])}
            self._load(state)
        except (KeyError, TypeError) as error:
            raise ArgumentError(
                f"state is {shown(state)}, expected what state_dict of such a schedule returned"
            ) from error
        self._resume(first)

    def _state(self) -> dict[str, Any]:
        return {}

    def _load(self, state: Mapping[str, Any]) -> None:
        pass

    def _resume(self, first: dict[int, int]) -> None:
        self._first, self._asked = first, dict(first)

    def _number(self, env_id: int, index: int) -> int:
        return self._first.get(env_id, 0) + int(index)

    def _ask(self, env_id: int, index: int) -> int:
        number = self._asked[int(env_id)] = self._number(env_id, index)
        return number


class Sequence(Resumable):
    """All levels one after the other, and again from the beginning.

    The environments share them: episode k of environment e has the level
    ``(k * num_envs + e) % len(levels)``.

    Args:
        levels: Seeds, dicts of reset options, or Episodes.
        num_envs: The number of the pool's environments.

    Raises:
        TypeError: An argument has a wrong type.
        ArgumentError: It has a wrong value (also a ValueError).
    """

    def __init__(self, levels: Iterable[Level], num_envs: int) -> None:
        super().__init__()
        self._levels = checked_levels(levels)
        self._num_envs = integer("num_envs", num_envs, 1, MOST_ENVS)

    def next(self, env_id: int, index: int) -> Episode:
        """See :class:`Schedule`."""
        if env_id >= self._num_envs:
            raise ArgumentError(
                f"environment {env_id} asks for an episode of a Sequence with "
                f"num_envs={self._num_envs}, expected the num_envs of the pool"
            )
        number = self._ask(env_id, index)
        return as_episode(self._levels[(number * self._num_envs + env_id) % len(self._levels)])


class Uniform(Resumable):
    """Each episode has one of the levels, all of which are equally likely.

    Args:
        levels: Seeds, dicts of reset options, or Episodes.
        seed: Of the draws.

    Raises:
        TypeError: An argument has a wrong type.
        ArgumentError: It has a wrong value (also a ValueError).
    """

    def __init__(self, levels: Iterable[Level], seed: int = 0) -> None:
        super().__init__()
        self._levels = checked_levels(levels)
        self._seed = check_seed(seed)

    def next(self, env_id: int, index: int) -> Episode:
        """See :class:`Schedule`."""
        place = draw(self._seed, env_id, self._ask(env_id, index)) * len(self._levels)
        return as_episode(self._levels[int(place)])


class Mixture(Resumable):
    """Each episode begins as one of several schedules says, which is drawn.

    A schedule is asked with the pool's indices, of which it gets some.

    Args:
        schedules: By schedule, how likely it is in comparison with the others. None stands for
            episodes that begin as without a schedule.
        seed: Of the draws.

    Raises:
        TypeError: An argument has a wrong type.
        ArgumentError: It has a wrong value (also a ValueError).
    """

    def __init__(self, schedules: Mapping[Schedule | None, float], seed: int = 0) -> None:
        super().__init__()
        if not isinstance(schedules, Mapping):
            raise TypeError(
                f"schedules is {shown(schedules)}, expected a dict of schedules and weights"
            )
        for schedule in schedules:
            if schedule is not None and not callable(getattr(schedule, "next", None)):
                raise TypeError(f"schedules has {shown(schedule)}, expected a schedule")
        self._schedules = list(schedules)
        weights = [checked_number("weight", weight) for weight in schedules.values()]
        if sum(weights) == 0:
            raise ArgumentError(f"schedules is {shown(schedules)}, expected a weight above 0")
        self._ends = (np.cumsum(weights) / sum(weights))[:-1].tolist()  # of their shares
        self._seed = check_seed(seed)
        # Mixtures within a mixture draw other numbers, also with the same seed.
        inner = (each.depth for each in self._schedules if isinstance(each, Mixture))
        self.depth: int = 1 + max(inner, default=0)

    def next(self, env_id: int, index: int) -> Episode | None:
        """See :class:`Schedule`."""
        place = draw(self._seed, env_id, self._ask(env_id, index), self.depth)
        schedule = self._schedules[bisect.bisect(self._ends, place)]
        return None if schedule is None else schedule.next(env_id, index)

    def _state(self) -> dict[str, Any]:
        return {
            "schedules": [
                each._state() if isinstance(each, Resumable) else None for each in self._schedules
            ]
        }

    def _load(self, state: Mapping[str, Any]) -> None:
        if len(state["schedules"]) != len(self._schedules):
            raise ArgumentError(
                f"the state is of {len(state['schedules'])} schedules, "
                f"expected {len(self._schedules)}"
            )
        for each, its_state in zip(self._schedules, state["schedules"], strict=True):
            if isinstance(each, Resumable):
                each._load(its_state)

    def _resume(self, first: dict[int, int]) -> None:
        super()._resume(first)
        for each in self._schedules:
            if isinstance(each, Resumable):
                each._resume(first)
