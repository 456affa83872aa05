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

# A seed, options and a state, of which each may be None: what a native pool's set_next takes.
Choice = tuple[int | None, dict[str, Any] | None, bytes | None]
_NOTHING: Choice = (None, None, None)
_KEPT = struct.Struct("<Qq")  # what states have at their end: a course's seed, and its next number


@dataclasses.dataclass(slots=True)
class _Course:
    """The episodes of one environment, by the numbers that the pool counts.

    Attributes:
        seed: The seed that the environment was given last, by an episode that has begun.
        first: That episode.
        chosen: The last episode of which a caller has chosen something, and what.
    """

    seed: int
    first: int = 0
    chosen: tuple[int, Choice] = (-1, _NOTHING)

    def go_on(self, episode: int) -> None:
        """Notes which episode is the next one to begin."""
        before, (seed, *_) = self.chosen
        if before < episode:
            if seed is not None:
                self.seed, self.first = seed, before
            self.chosen = episode, _NOTHING

    def key(self, episode: int, seed: int | None) -> list[int]:
        """What the generator of the next episode is seeded with."""
        return [self.seed, episode - self.first] if seed is None else [seed, 0]


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
        ids = self._native.idle_ids(env_id)
        episodes = self._next_of(ids)
        whole = map(self._completed, ids, episodes, choices)
        self._native.set_next(list(whole), ids)
        for i, episode, choice in zip(ids, episodes, choices, strict=True):
            self._courses[i].chosen = episode, choice

    def reset(
        self,
        env_id: Any,
        seeds: Sequence[int | None],
        options: dict[str, Any],
        observe_others: bool,
    ) -> Any:
        """Resets environments."""
        self._choose(env_id, seeds, options)
        return self._native.reset(env_id, [], {}, observe_others)

    def send_reset(self, env_id: Any, seeds: Sequence[int | None], options: dict[str, Any]) -> None:
        """Starts resets."""
        self._choose(env_id, seeds, options)
        self._native.send_reset(env_id, [], {})

    def get_state(self, env_id: Any) -> list[bytes]:
        """Saves environments, with what their next episodes' generators are seeded with."""
        ids = range(len(self._courses)) if env_id is None else np.asarray(env_id).tolist()
        states = self._native.get_state(env_id)
        keys = [self._courses[i].key(e, None) for i, e in zip(ids, self._next_of(ids), strict=True)]
        return [state + _KEPT.pack(*key) for state, key in zip(states, keys, strict=True)]

    def set_state(self, states: Sequence[Any], env_id: Any) -> None:
        """Puts environments into states; what callers have chosen of next episodes stays."""
        whole = [bytes(state) for state in states]
        self._native.set_state([state[: -_KEPT.size] for state in whole], env_id)
        ids = range(len(self._courses)) if env_id is None else np.asarray(env_id).tolist()
        for state, i, episode in zip(whole, ids, self._next_of(ids), strict=True):
            self._courses[i].seed, number = _KEPT.unpack(state[-_KEPT.size :])
            self._courses[i].first = episode - number
        self.set_next([self._courses[i].chosen[1] for i in ids], ids)

    def _next_of(self, ids: Sequence[int]) -> list[int]:
        """Which episodes of environments are the next ones to begin."""
        episodes = [episode for episode, _ in self._native.episodes(ids)]
        for i, episode in zip(ids, episodes, strict=True):
            self._courses[i].go_on(episode)
        return episodes

    def _choose(
        self, env_id: Any, seeds: Sequence[int | None], options: dict[str, Any] | None
    ) -> None:
        """Chooses what a reset of environments is given. Nothing is left to what was chosen."""
        ids = self._native.idle_ids(env_id) if seeds or options else []
        given = zip(ids, seeds or [None] * len(ids), strict=True)
        chosen = {i: (seed, options or None, None) for i, seed in given if options or seed is not None}
        if chosen:
            self.set_next([*chosen.values()], [*chosen])

    def _completed(self, env_id: int, episode: int, choice: Choice) -> Choice:
        """A choice with what the task says of this episode."""
        seed, options, state = choice
        if state is not None:
            raise ArgumentError(f"state is given, expected None for {self._task}, which has start")
        if options is not None and len(options) == self._num_arrays:  # as a recording has it
            return choice
        generator = np.random.default_rng(self._courses[env_id].key(episode, seed))
        try:
            return seed, self._started(generator, env_id) | (options or {}), None
        except Exception as error:
            error.add_note(
                f"raised by start() of {self._task} for episode {episode} of environment {env_id}"
            )
            raise

    def _started(self, generator: np.random.Generator, env_id: int) -> dict[str, Any]:
        """The arrays that the task says, as native code takes them."""
        given = self._task.start(generator, env_id)
        if given is not None and not isinstance(given, Mapping):
            raise TypeError(
                f"what {type(self._task).__name__}.start() returns is {shown(given)}, expected a "
                "dict of arrays by their names"
            )
        return {name: np.ravel(array) for name, array in self._read(given).items()}
