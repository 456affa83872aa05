"""StartingPool: a native pool whose episodes begin with what a task draws for each of them."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.families.mujoco.model.task import Task

# What resets of environments are given: a seed for each of them or none, and options.
Seeds = Sequence[int | None]
Options = dict[str, Any]
# A seed, options and a state, of which each may be None: what a native pool's set_next takes.
Choice = tuple[int | None, Options | None, bytes | None]
_NOTHING: Choice = (None, None, None)
_KEPT = struct.Struct("<Qq")  # what states have at their end: a course's seed, and its next number


@dataclasses.dataclass(slots=True)
class _Course:
    """The episodes of one environment, by the numbers that the pool counts.

    Attributes:
        seed: The seed that the environment was given last, by an episode that has begun.
        first: That episode.
        next: The one that comes next.
        chosen: What callers have chosen of that; None: it was not chosen yet.
    """

    seed: int
    first: int = 0
    next: int = 0
    chosen: Choice | None = None

    def go_on(self, episode: int) -> None:
        """Notes which episode comes next."""
        if episode == self.next:
            return
        if self.chosen is not None and self.chosen[0] is not None:
            self.seed, self.first = self.chosen[0], self.next
        self.next, self.chosen = episode, None

    def key(self, seed: int | None) -> list[int]:
        """What the next episode's generator is seeded with, if that is given a seed or None."""
        return [self.seed, self.next - self.first] if seed is None else [seed, 0]


class StartingPool:
    """Stands around a native pool, and is called like it.

    Whoever chooses something of a next episode, a caller or nobody, the task's ``start`` says the
    rest: the native pool asks for it before an environment's next step, and resets that are given
    something become choices.

    Args:
        native: The native pool.
        task: Has ``start``.
        read: Checks the options of a reset.
        num_arrays: How many of these there are.
        seeds: The environments' first seeds.
    """

    def __init__(
        self,
        native: _core.Pool,
        task: Task,
        read: Callable[[Any], dict[str, Any]],
        num_arrays: int,
        seeds: Sequence[int],
    ) -> None:
        self._native, self._task, self._read, self._num_arrays = native, task, read, num_arrays
        self._courses = [_Course(seed) for seed in seeds]
        self._cycles: dict[int, Sequence[Choice]] = {}
        native.choose_by(self)  # which refers to it weakly

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def __call__(self, lacking: Sequence[tuple[int, int]]) -> None:
        """Chooses the next episodes of environments, of each of which so many have begun."""
        cycles = [(self._cycles.get(i, [_NOTHING]), episode) for i, episode in lacking]
        choices = [cycle[episode % len(cycle)] for cycle, episode in cycles]
        self.set_next(choices, [i for i, _ in lacking])

    def set_all(self, env_id: int, choices: Sequence[Choice]) -> None:
        """Says what all episodes of an environment begin with: these again and again."""
        self._cycles[env_id] = choices

    def set_next(self, choices: Sequence[Choice], env_id: Any) -> None:
        """Says what the next episodes begin with; the task says what is left open.

        Raises:
            ArgumentError: That is a state.
            Exception: What the task raises. Nothing has changed then.
        """
        courses = self._courses_of(env_id)
        whole = [self._completed(i, courses[i], c) for i, c in zip(courses, choices, strict=True)]
        self._native.set_next(whole, [*courses])
        for course, choice in zip(courses.values(), choices, strict=True):
            course.chosen = choice

    def reset(self, env_id: Any, seeds: Seeds, options: Options, observe_others: bool) -> Any:
        """Resets environments."""
        self._choose(env_id, seeds, options)
        return self._native.reset(env_id, [], {}, observe_others)

    def send_reset(self, env_id: Any, seeds: Seeds, options: Options) -> None:
        """Starts resets."""
        self._choose(env_id, seeds, options)
        self._native.send_reset(env_id, [], {})

    def get_state(self, env_id: Any) -> list[bytes]:
        """Saves environments, with what their next episodes' generators are seeded with."""
        courses = self._courses_of(env_id).values()
        states = self._native.get_state(env_id)
        return [s + _KEPT.pack(*each.key(None)) for s, each in zip(states, courses, strict=True)]

    def set_state(self, states: Sequence[Any], env_id: Any) -> None:
        """Puts environments into states; what callers have chosen of next episodes stays."""
        whole = [bytes(state) for state in states]
        self._native.set_state([state[: -_KEPT.size] for state in whole], env_id)
        courses = self._courses_of(env_id)
        for state, course in zip(whole, courses.values(), strict=True):
            course.seed, number = _KEPT.unpack(state[-_KEPT.size :])
            course.first = course.next - number
        chosen = {i: each.chosen for i, each in courses.items() if each.chosen is not None}
        self.set_next([*chosen.values()], [*chosen])

    def _courses_of(self, env_id: Any) -> dict[int, _Course]:
        """The courses of environments, which know what comes next, by their ids."""
        ids = self._native.idle_ids(env_id)
        for i, (episode, _) in zip(ids, self._native.episodes(ids), strict=True):
            self._courses[i].go_on(episode)
        return {i: self._courses[i] for i in ids}

    def _choose(self, env_id: Any, seeds: Seeds, options: Options) -> None:
        """Chooses what a reset of environments is given. Nothing is left to what was chosen."""
        ids = self._native.idle_ids(env_id) if seeds or options else []
        given = zip(ids, seeds or [None] * len(ids), strict=True)
        chosen = {i: (s, options or None, None) for i, s in given if options or s is not None}
        self.set_next([*chosen.values()], [*chosen])

    def _completed(self, env_id: int, course: _Course, choice: Choice) -> Choice:
        """A choice with what the task says of the next episode."""
        seed, options, state = choice
        if state is not None:
            raise ArgumentError(f"state is given, expected None for {self._task}, which has start")
        if options is not None and len(options) == self._num_arrays:  # as a recording has them
            return choice
        try:
            given = self._task.start(np.random.default_rng(course.key(seed)), env_id)
            if not isinstance(given, Mapping | None):
                raise TypeError(f"it returned {shown(given)}, expected a dict of arrays, or None")
            arrays = {name: np.ravel(array) for name, array in self._read(given).items()}
        except Exception as error:
            error.add_note(
                f"start() of {self._task} was called for episode {course.next} of environment "
                f"{env_id}"
            )
            raise
        return seed, arrays | (options or {}), None
