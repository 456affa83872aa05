"""Lanes: many recorded environments at once, which one pool runs again, step by step.

Steps between two events are arrays here, of actions before and of results after, so that none
needs an object of its own. What has exceptions in it (see :attr:`Track.is_plain`) is for a
:class:`envpool.recordings.player.Player`.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from envpool.recordings.chunks import Chunk, Event, OpenChunk
from envpool.recordings.player import OnePool
from envpool.recordings.timeline import Happening, StepRows, events_of, is_state_before
from envpool.spec.fields import Field, map_leaves

if TYPE_CHECKING:
    from envpool.recordings.episode import Episode

_STATES = (Event.KEY_FRAME, Event.STATE)
_EXCEPTIONS = (Event.LOST, Event.FAILURE, Event.WORKER_END, Event.MADE)
# The results of so many steps are put together at a time, and of no more bytes.
_MOST_STEPS = 4096
_MOST_BYTES = 2**25


@dataclasses.dataclass
class Stretch:
    """Steps of an environment without an event between them.

    Attributes:
        events: What happened before them.
        actions: For each field an array with a row for each step.
        ends: The wanted episodes that end among them, and after how many of the steps.
    """

    events: list[Happening]
    actions: list[NDArray[Any]]
    ends: list[tuple[int, Episode]]

    def __len__(self) -> int:
        return len(self.actions[0])


class Track:
    """All that happened to an environment, as arrays of its steps, and events between them.

    Args:
        env: The environment.
        num_envs: How many there are.
        fields: The actions' arrays.
    """

    def __init__(self, env: int, num_envs: int, fields: Sequence[Field]) -> None:
        self.events: list[Happening] = []
        self._env, self._num_envs = env, num_envs
        self._shapes = [(tuple(field["shape"]), field["per_player"]) for field in fields]
        self._calls: list[NDArray[np.int64]] = []
        self._actions: list[list[NDArray[Any]]] = []

    def add(self, chunk: OpenChunk) -> None:
        """Adds what happened to it in the next chunk."""
        rows = StepRows(chunk, self._env, self._num_envs)
        self.events += events_of(chunk, self._env)
        if len(rows.calls):
            self._calls.append(rows.calls)
            self._actions.append(rows.stacked(self._shapes))

    @property
    def is_plain(self) -> bool:
        """Did it step, in one type of actions, without failures and gaps?"""
        types = {tuple(field.dtype for field in fields) for fields in self._actions}
        return len(types) == 1 and all(event.event not in _EXCEPTIONS for event in self.events)

    def stretches(
        self, episodes: Iterable[Episode], at_once: NDArray[np.int64]
    ) -> Iterator[Stretch]:
        """The way through some episodes, which leaves out what a state leads past.

        Args:
            episodes: Those that are wanted, in the order of their ends.
            at_once: The ``end_call`` of all that the next one follows in the same step: then there
                are two steps here.
        """
        calls = np.concatenate(self._calls)
        times = np.ones(len(calls), np.int64)
        times[np.searchsorted(calls, at_once) - 1] = 2
        firsts = np.cumsum(times) - times
        actions = [
            np.repeat(np.concatenate(parts), times, axis=0)
            for parts in zip(*self._actions, strict=True)
        ]
        before = np.searchsorted(calls, [event.call for event in self.events])
        places = np.append(firsts, times.sum())[before]
        events: list[Happening] = []
        ends: list[tuple[int, Episode]] = []
        start = stop = index = 0
        states = deque(i for i, event in enumerate(self.events) if event.event in _STATES)
        state = -1
        for episode in episodes:
            begin, end = int(episode.row["begin_call"]), int(episode.row["end_call"])
            while states and is_state_before(self.events[states[0]], begin):
                state = states.popleft()
            if state >= index:
                if ends:
                    yield Stretch(events, [field[start:stop] for field in actions], ends)
                index, start = state, int(places[state])
                earlier = [e for e in self.events[:index] if e.event == Event.OPTIONS]
                events, ends = [*earlier[-1:], self.events[index]], []
                index += 1
            while index < len(self.events) and self.events[index].call < end:
                event, place = self.events[index], int(places[index])
                index += 1
                if event.event == Event.KEY_FRAME:
                    continue
                if place > start:
                    yield Stretch(events, [field[start:place] for field in actions], ends)
                    events, ends, start = [], [], place
                events.append(event)
            stop = int(firsts[np.searchsorted(calls, end) - 1]) + 1
            ends.append((stop - start, episode))
        if ends:
            yield Stretch(events, [field[start:stop] for field in actions], ends)


@dataclasses.dataclass
class Piece:
    """Rows of an environment one after the other.

    Attributes:
        observations: Arrays with a row for each, in dicts and tuples.
        infos: Likewise.
        steps: The rewards, the ends (terminated, truncated) and the fields of the actions; nothing
            for a reset.
        is_whole: Does an episode begin with it?
    """

    observations: Any
    infos: Any
    steps: list[NDArray[Any]]
    is_whole: bool = False

    def at(self, *index: Any, is_whole: bool = False) -> Piece:
        """Some of the rows, or of the environments."""
        return self._with(lambda array: array[index], is_whole)

    def copied(self) -> Piece:
        """The same rows, without those of other environments in memory."""
        return self._with(np.copy, self.is_whole)

    def _with(self, function: Callable[[Any], Any], is_whole: bool) -> Piece:
        observations, infos = map_leaves(function, (self.observations, self.infos))
        return Piece(observations, infos, [*map(function, self.steps)], is_whole)


class Lane:
    """An environment of a pool, on its way through a recording.

    Args:
        pool: The pool.
        env: Its number there.
        stretches: The way.
    """

    def __init__(self, pool: OnePool, env: int, stretches: Iterator[Stretch]) -> None:
        self.env = env
        self._pool = pool
        self._stretches = stretches
        self._stretch = next(stretches)
        self._position = 0
        self._is_over: bool | None = True  # None: nobody knows
        self._reset_options: dict[str, Any] = {}
        self._rows: list[Piece] = []  # since the episode's beginning
        self._play_events()

    @property
    def left(self) -> int:
        """The number of steps until something else happens."""
        return len(self._stretch) - self._position

    def actions(self, count: int) -> list[NDArray[Any]]:
        """Those of the next steps, for each field."""
        part = slice(self._position, self._position + count)
        return [field[part] for field in self._stretch.actions]

    def advance(self) -> bool:
        """Goes on to the next stretch, if one has ended. Returns whether there is one."""
        if self.left:
            return True
        stretch = next(self._stretches, None)
        if stretch is None:
            return False
        self._stretch, self._position = stretch, 0
        self._play_events()
        return True

    def add(self, piece: Piece) -> Iterator[tuple[Episode, list[Piece]]]:
        """Adds the results of its next steps; yields the wanted episodes that end."""
        _, terminated, truncated, *_ = piece.steps
        is_over = terminated | truncated
        if self._is_over is None:
            self._is_over = bool(piece.infos["elapsed_step"][0] == 0)
        beginnings = np.flatnonzero(np.concatenate([[self._is_over], is_over[:-1]]))
        self._is_over = bool(is_over[-1])
        ends = self._stretch.ends
        while ends and ends[0][0] <= self._position + len(is_over):
            stop, episode = ends.pop(0)
            end = stop - self._position
            earlier = int(np.searchsorted(beginnings, end)) - 1
            if earlier >= 0:
                yield episode, [piece.at(slice(beginnings[earlier], end), is_whole=True)]
            elif end > 0:
                yield episode, [*self._rows, piece.at(slice(end))]
        self._position += len(is_over)
        if len(beginnings):
            self._rows = []
            piece = piece.at(slice(beginnings[-1], None), is_whole=True)
        self._rows.append(piece.copied())

    def _play_events(self) -> None:
        for happening in self._stretch.events:
            if happening.event in _STATES:
                self._pool.set_state([happening.content], [self.env])
                self._is_over, self._rows = None, []
            elif happening.event == Event.RESET_OPTIONS:
                self._reset_options = happening.options
            elif happening.event == Event.OPTIONS:
                self._pool.change(happening.options, self.env)
            else:
                options, self._reset_options = self._reset_options, {}
                observation, info = self._pool.restart(happening.seed, options, self.env)
                self._is_over, self._rows = False, [Piece(observation, info, [], is_whole=True)]


def read_tracks(
    chunks: Iterable[Chunk], envs: Iterable[int], num_envs: int, fields: Sequence[Field]
) -> dict[int, Track]:
    """What happened to some of the environments, by their numbers."""
    tracks = {env: Track(env, num_envs, fields) for env in envs}
    for chunk in map(OpenChunk, chunks):
        for track in tracks.values():
            track.add(chunk)
    return tracks


def run_lanes(pool: OnePool, lanes: list[Lane]) -> Iterator[tuple[Episode, Piece]]:
    """Runs environments of a pool side by side; yields the wanted episodes as they end."""
    most = 1
    while lanes := [lane for lane in lanes if lane.advance()]:
        count = min(most, *(lane.left for lane in lanes))
        ids = np.array([lane.env for lane in lanes], np.int32)
        each = [lane.actions(count) for lane in lanes]
        fields = [np.stack(of_all, 1) for of_all in zip(*each, strict=True)]
        actions: Iterable[Any] = fields[0] if len(fields) == 1 else zip(*fields, strict=True)
        results = [pool.step(action, ids) for action in actions]
        most = min(_MOST_STEPS, 1 + _MOST_BYTES // (1 + _size(results[0])))
        observations, *ends, infos = map(_stacked, zip(*results, strict=True))
        piece = Piece(observations, infos, [*ends, *fields])
        for i, lane in enumerate(lanes):
            for episode, pieces in lane.add(piece.at(slice(None), i)):
                yield episode, _joined(pieces)


def _size(nested: Any) -> int:
    """The bytes of all arrays."""
    if isinstance(nested, dict):
        nested = tuple(nested.values())
    return sum(map(_size, nested)) if isinstance(nested, tuple) else int(nested.nbytes)


def _stacked(batches: Sequence[Any]) -> Any:
    """Arrays with an axis of steps in front of that of environments."""
    first = batches[0]
    if isinstance(first, dict):
        return {name: _stacked([batch[name] for batch in batches]) for name in first}
    if isinstance(first, tuple):
        return tuple(map(_stacked, zip(*batches, strict=True)))
    return np.concatenate(batches).reshape(len(batches), *first.shape)


def _joined(pieces: list[Piece]) -> Piece:
    """One piece of several."""
    infos = _chained([piece.infos for piece in pieces])
    for ids in (infos["env_id"], infos["players"]["env_id"]):
        ids[:] = 0  # as a pool of one environment has them
    steps = zip(*(piece.steps for piece in pieces if piece.steps), strict=True)
    return Piece(
        _chained([piece.observations for piece in pieces]),
        infos,
        [np.concatenate(parts) for parts in steps],
        pieces[0].is_whole,
    )


def _chained(nested: Sequence[Any]) -> Any:
    """Arrays with the rows of all."""
    first = nested[0]
    if isinstance(first, dict):
        # A reset has fewer infos than a step.
        names = dict.fromkeys(name for part in nested for name in part)
        return {name: _chained([part[name] for part in nested if name in part]) for name in names}
    if isinstance(first, tuple):
        return tuple(map(_chained, zip(*nested, strict=True)))
    return np.concatenate(nested)
