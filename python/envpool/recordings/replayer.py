"""Replayer: does to the environments of a pool what was done to recorded ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import EnvironmentFailure
from envpool.recordings.chunks import Event
from envpool.recordings.pieces import Piece, Tape, joined
from envpool.recordings.timeline import Course, Happening, Step

FRAME = "$frame"  # the key of pictures among infos
# The results of so many calls are put together at a time, and of no more bytes.
_MOST_CALLS = 4096
_MOST_BYTES = 2**25

Ended = tuple[int, Piece]  # an environment, and its episode


class Replayer:
    """Plays happenings once more, and cuts episodes out of the results.

    Args:
        pool: A new pool, which resets environments in the step after an episode's end; see
            :mod:`envpool.recordings.pools`.
        places: The number in the pool of each recorded environment. One that fails is alone.
        resets_at_once: True if the recorded pool reset them in the step that ended an episode.
        has_players: True if there can be several players.
    """

    def __init__(
        self, pool: Any, places: Mapping[int, int], resets_at_once: bool, has_players: bool
    ) -> None:
        self._pool = pool
        self._places = np.zeros(max(places) + 1, np.int32)
        self._places[[*places]] = [*places.values()]
        self._resets_at_once = resets_at_once
        self._has_players = has_players
        self._tapes = {env: Tape(has_players) for env in places}
        self._block: list[tuple[NDArray[np.int32], Piece]] = []
        self._most = 1
        self._reset_options: dict[int, dict[str, Any]] = {}
        self._draws = False
        self._has_failed = False
        self._has_survived = False  # a failure: its pool does not know that its next step resets it

    def begin(self, course: Course, env: int) -> None:
        """Puts an environment where a course begins."""
        if course.options is not None:
            self._happen(course.options)
        if course.origin is not None:
            self._put(course.origin)
        if course.origin is not None and course.first is not None:
            observation, info = self._pool.look()
            self._tapes[env].begin(self._drawn(Piece(1, observation, info, [])))

    def draw(self) -> list[Ended]:
        """Gives all rows from now on a picture, among their infos. Returns as :meth:`end`."""
        ended, self._draws = [] if self._draws else self.end(), True
        return ended

    def play(self, item: Happening | Step) -> list[Ended]:
        """Plays what happened next; returns the episodes that have ended, perhaps later.

        Raises:
            RuntimeError: What happened was not recorded, or goes otherwise.
        """
        if isinstance(item, Step):
            return self._step(item)
        return self.end() + self._happen(item)

    def play_all(self, items: Iterable[Happening | Step]) -> Iterator[Ended]:
        """Plays all that happened; yields the episodes that end."""
        for item in items:
            yield from self.play(item)
        yield from self.end()

    def end(self) -> list[Ended]:
        """The episodes that have ended, and were not returned yet."""
        if not self._block:
            return []
        envs = np.concatenate([own for own, _ in self._block])
        piece = joined([results for _, results in self._block], self._has_players)
        self._block.clear()
        if len(self._tapes) == 1:
            return [(int(envs[0]), episode) for episode in self._tapes[int(envs[0])].add(piece)]
        order = np.argsort(envs, kind="stable")
        starts = np.flatnonzero(np.diff(envs[order], prepend=-1))
        return [
            (int(envs[rows[0]]), episode)
            for rows in np.split(order, starts[1:])
            for episode in self._tapes[int(envs[rows[0]])].add(piece.at(rows, len(rows)))
        ]

    def rest(self, env: int) -> Piece:
        """The rows of an episode that does not end."""
        return self._tapes[env].take()

    def _happen(self, item: Happening) -> list[Ended]:
        event, place = item.event, int(self._places[item.env])
        if event in (Event.RESET, Event.SEEDED_RESET):
            return self._reset(item.env, item.seed)
        if event == Event.RESET_OPTIONS:
            self._reset_options[item.env] = item.options
        elif event == Event.OPTIONS:
            self._pool.change(item.options, place)
        elif event == Event.STATE:
            self._put(item)
        elif event == Event.SURVIVED:
            ended = self._reset(item.env, None)
            if self._resets_at_once:
                return ended or self._reset(item.env, None)
            self._has_survived = True
        elif event == Event.LOST:
            raise RuntimeError(f"this part of the recording cannot be replayed: {item.text}")
        return []

    def _put(self, item: Happening) -> None:
        self._pool.set_state([item.content], [int(self._places[item.env])])
        self._tapes[item.env].clear()
        self._has_failed = self._has_survived = False

    def _reset(self, env: int, seed: int | None) -> list[Ended]:
        options = self._reset_options.pop(env, {})
        self._has_failed = self._has_survived = False
        try:
            observation, info = self._pool.restart(seed, options, int(self._places[env]))
        except EnvironmentFailure as failure:
            self._tapes[env].is_over = True
            return [self._fail(env, failure, ())]
        self._tapes[env].begin(self._drawn(Piece(1, observation, info, [], is_whole=True)))
        return []

    def _step(self, step: Step) -> list[Ended]:
        env = int(step.envs[0])
        if self._has_failed:
            raise RuntimeError("the environment has failed, which it did not when it was recorded")
        if self._has_survived:
            return self._reset(env, None)
        ended = self._begin_block(step)
        try:
            over = self._step_once(step.envs, step.actions)
        except EnvironmentFailure as failure:
            return [*ended, *self.end(), self._fail(env, failure, step.actions)]
        if self._resets_at_once and over.any():
            actions = step.actions  # which are ignored
            if len(over) > 1:
                actions = tuple(field[over] for field in actions)
            try:
                self._step_once(step.envs[over], actions)
            except EnvironmentFailure as failure:  # which is how the episode has ended
                ended += self.end()
                ended[-1][1].failure = self._fail(env, failure, ())[1].failure
        return ended + (self.end() if len(self._block) >= self._most else [])

    def _begin_block(self, step: Step) -> list[Ended]:
        """Ends the block that is there, if the next actions are of other types."""
        before = self._block[-1][1].steps[3:] if self._block else step.actions
        types = [[field.dtype for field in fields] for fields in (before, step.actions)]
        return self.end() if types[0] != types[1] else []

    def _step_once(
        self, envs: NDArray[np.int32], actions: tuple[NDArray[Any], ...]
    ) -> NDArray[np.bool_]:
        """Steps environments. Returns whose episode is over."""
        results = self._pool.step(actions[0] if len(actions) == 1 else actions, self._places[envs])
        observation, *ends, info = results
        piece = self._drawn(Piece(len(envs), observation, info, [*ends, *actions]))
        if len(self._block) <= 1:
            self._most = min(_MOST_CALLS, 1 + _MOST_BYTES // (1 + _size((observation, info))))
        self._block.append((envs, piece))
        over: NDArray[np.bool_] = ends[1] | ends[2]
        return over

    def _drawn(self, piece: Piece) -> Piece:
        if self._draws:
            piece.infos = {**piece.infos, FRAME: self._pool.render()}
        return piece

    def _fail(self, env: int, failure: EnvironmentFailure, action: tuple[Any, ...]) -> Ended:
        if len(self._tapes) > 1:
            raise failure
        self._has_failed = True
        return env, self._tapes[env].fail(failure.messages[0], action)


def _size(nested: Any) -> int:
    """The bytes of all arrays."""
    if isinstance(nested, dict):
        nested = tuple(nested.values())
    return sum(map(_size, nested)) if isinstance(nested, tuple) else int(nested.nbytes)
