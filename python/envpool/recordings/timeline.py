"""The happenings of one environment, in order, and the course that leads to an episode."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.recordings.chunks import Chunk, Event, OpenChunk

if TYPE_CHECKING:
    from envpool.recordings.player import Player, Row


@dataclasses.dataclass(frozen=True)
class Happening:
    """An event, or a step of an environment.

    Attributes:
        call: How many calls of steps of the pool came before.
        event: What it was; None: a step.
        content: The bytes of an event.
        action: That of a step: an array with one row for each field.
    """

    call: int
    event: Event | None
    content: bytes = b""
    action: tuple[NDArray[Any], ...] = ()

    @property
    def seed(self) -> int | None:
        """The seed of a reset, or of the first one of what was made again, if it has one."""
        return int.from_bytes(self.content, "little") if self.content else None

    @property
    def options(self) -> dict[str, Any]:
        """The options of an event that has some, without those that are None.

        Raises:
            ArgumentError: They are none.
        """
        try:
            options: Any = json.loads(self.content)
        except (ValueError, RecursionError):
            options = None
        if not isinstance(options, dict):
            raise ArgumentError(
                f"the recording has the options {shown(self.content)}: no pool has written it"
            )
        return {name: value for name, value in options.items() if value is not None}


def events_of(chunk: Chunk | OpenChunk, env: int) -> list[Happening]:
    """The events of an environment."""
    chosen = np.flatnonzero(chunk["event_envs"] == env)
    if not len(chosen):
        return []
    calls, kinds = chunk["event_calls"] + chunk.first_call, chunk["event_kinds"]
    sizes, content = chunk["event_sizes"].astype(np.int64), chunk["event_bytes"].tobytes()
    ends = np.cumsum(sizes)
    return [
        Happening(int(calls[i]), Event(kinds[i]), content[ends[i] - sizes[i] : ends[i]])
        for i in chosen
    ]


class StepRows:
    """The places of one environment's actions in a chunk.

    Args:
        chunk: The chunk.
        env: The environment.
        num_envs: How many there are.
    """

    def __init__(self, chunk: Chunk | OpenChunk, env: int, num_envs: int) -> None:
        rows = chunk["rows"].astype(np.int64)
        counts = np.where(rows == 0, num_envs, rows)
        starts = np.cumsum(counts) - counts
        whole = np.flatnonzero(rows == 0)
        ids = np.flatnonzero(chunk["ids"] == env)
        # In which of the calls for some only.
        some = np.flatnonzero(rows)
        ends = np.cumsum(rows[some])
        which = np.searchsorted(ends, ids, "right")
        offsets = ids - (ends[which] - rows[some][which])
        calls = np.concatenate([whole, some[which]])
        places = np.concatenate([starts[whole] + env, starts[some[which]] + offsets])
        order = np.argsort(calls)
        self.calls: NDArray[np.int64] = calls[order] + chunk.first_call
        self._chunk = chunk
        self._rows: NDArray[np.int64] = places[order]
        self._num_rows = int(counts.sum())

    def stacked(self, shapes: Sequence[tuple[tuple[int, ...], bool]]) -> list[NDArray[Any]]:
        """For each field of the actions an array with a row for each step, if there is one player.

        Arguments and errors are as for :meth:`actions`.
        """
        self._players()
        return [
            _reshaped(values, self._num_rows, shape)[self._rows]
            for values, (shape, _) in zip(self._chunk.actions, shapes, strict=True)
        ]

    def actions(self, shapes: Sequence[tuple[tuple[int, ...], bool]]) -> list[NDArray[Any]]:
        """For each field of the actions a list of arrays, one for each step.

        Args:
            shapes: Of each field: the shape of one action, and whether each player has one.

        Raises:
            ArgumentError: There are others than those of the calls.
        """
        players = self._players()
        fields = []
        for values, (shape, per_player) in zip(self._chunk.actions, shapes, strict=True):
            has_players = per_player and len(players) > 0
            count = int(players.sum()) if has_players else self._num_rows
            rows = _reshaped(values, count, shape)
            if not has_players:
                fields.append([rows[row : row + 1] for row in self._rows])
                continue
            ends = np.cumsum(players)
            fields.append([rows[ends[row] - players[row] : ends[row]] for row in self._rows])
        return fields  # type: ignore[return-value]

    def _players(self) -> NDArray[np.int64]:
        """How many each environment of each call had; empty if each has one."""
        players = self._chunk["players"]
        if len(players) not in (0, self._num_rows) or players.min(initial=0) < 0:
            raise ArgumentError(
                f"the recording has {len(players)} numbers of players where {self._num_rows} "
                "actions were taken: no pool has written it"
            )
        return players.astype(np.int64)


def _reshaped(values: NDArray[Any], count: int, shape: tuple[int, ...]) -> NDArray[Any]:
    """One row for each action."""
    if len(values) != count * math.prod(shape):
        raise ArgumentError(
            f"the recording has {len(values)} numbers of actions of shape {shape} where "
            f"{count} actions were taken: no pool has written it"
        )
    return values.reshape(count, *shape)


def happenings(
    chunks: Sequence[Chunk], env: int, num_envs: int, shapes: Sequence[tuple[tuple[int, ...], bool]]
) -> Iterator[Happening]:
    """All that happened to an environment.

    Args:
        chunks: The chunks.
        env: The environment.
        num_envs: How many there are.
        shapes: See :meth:`StepRows.actions`.
    """
    for chunk in chunks:
        events = events_of(chunk, env)
        rows = StepRows(chunk, env, num_envs)
        fields = rows.actions(shapes)
        for index, call in enumerate(rows.calls.tolist()):
            while events and events[0].call <= call:
                yield events.pop(0)
            yield Happening(call, None, action=tuple(field[index] for field in fields))
        yield from events


@dataclasses.dataclass(frozen=True)
class Drawn:
    """Which rows of an episode have frames: not those on the way to it, of which there may be many.

    Attributes:
        call: How many calls had come before the one that it began in.
        start: The first step that is wanted.
    """

    call: int
    start: int

    def has(self, happening: Happening, step: int) -> bool:
        """True if the rows that come of a happening get a frame.

        Args:
            happening: What happens next.
            step: How many steps the episode has afterwards, unless that is its beginning.
        """
        return happening.call >= self.call and (step >= self.start or self.start == 0)


@dataclasses.dataclass(frozen=True)
class Course:
    """The way to an episode, from the nearest state that is known.

    Attributes:
        options: What has changed its options before.
        origin: The state from which it goes on; None: as it was made.
        happenings: What happened from there to the episode's end.
        first: The step of the episode that the first row is of.
        is_inside: Is the origin a state within the episode?
    """

    options: list[Happening]
    origin: Happening | None
    happenings: list[Happening]
    first: int = 0
    is_inside: bool = False

    def play(
        self, player: Player, keep: int | None = None, drawn: Drawn | None = None
    ) -> tuple[list[Row], bytes]:
        """The rows of the episode, and the environment's state after ``keep`` of its steps.

        The state is empty if it is not asked for, or the episode was over by then.
        """
        for options in self.options:
            player.play(options)
        if self.origin is not None:
            player.start_at(self.origin)
        player.draws = drawn is not None and self.first == drawn.start
        tape = Tape([player.look(self.origin.call)] if self.origin and self.is_inside else [])
        state = player.state() if tape.rows and keep == self.first else b""
        before = b""
        for happening in self.happenings:
            step = self.first + len(tape.rows)  # or the episode begins
            player.draws = drawn is not None and drawn.has(happening, step)
            played = player.play(happening)
            if tape.add(played):
                before, state = state, b""
            is_over = not played or played[-1].is_last or played[-1].failure
            if not is_over and self.first + len(tape.rows) - 1 == keep:
                state = player.state()
        rows = tape.episode
        return rows, state if rows is tape.rows else before


@dataclasses.dataclass
class Tape:
    """The rows of an environment since its episode's beginning.

    Attributes:
        rows: Those of the episode that is running.
        before: Those of the one before.
    """

    rows: list[Row] = dataclasses.field(default_factory=list)
    before: list[Row] = dataclasses.field(default_factory=list)

    def add(self, played: list[Row]) -> bool:
        """Adds what a happening came to. Returns whether an episode has begun."""
        has_begun = False
        for row in played:
            # A reset that fails in an episode's last step is how that has ended.
            if row.is_first or (row.is_failed_reset and len(played) == 1):
                self.before, self.rows, has_begun = self.rows, [], True
            self.rows.append(row)
        return has_begun

    @property
    def episode(self) -> list[Row]:
        """The rows of the episode that the last step was of, which may have begun the next one."""
        has_begun = len(self.rows) == 1 and self.rows[0].is_first
        return self.before if has_begun and self.before and self.before[-1].is_last else self.rows


def find_course(
    happenings: Sequence[Happening], begin: int, start: int, begins_at_once: bool
) -> Course:
    """The shortest way to an episode.

    Args:
        happenings: What happened to its environment before its end.
        begin: How many calls had come before its beginning.
        start: Which step it is wanted from.
        begins_at_once: Did it begin in the step that ended the one before?
    """
    states = [i for i, event in enumerate(happenings) if is_state_before(event, begin)]
    place = states[-1] if states else None
    first, is_inside = 0, False
    position = 0 if begins_at_once else None
    for i, happening in enumerate(happenings):
        if happening.call < begin:
            continue
        if happening.event in (Event.RESET, Event.SEEDED_RESET):
            position = 0
        elif happening.event == Event.STATE:
            break  # whether it is at its beginning there is not known
        elif happening.event == Event.KEY_FRAME and position is not None and position <= start:
            place, first, is_inside = i, position, True
        elif happening.event is None:
            position = 0 if position is None else position + 1
    if place is None:
        return Course([], None, list(happenings))
    options = [event for event in happenings[:place] if event.event == Event.OPTIONS]
    return Course(options[-1:], happenings[place], list(happenings[place + 1 :]), first, is_inside)


def is_state_before(happening: Happening, begin: int) -> bool:
    """Is it a state from which the way to an episode that begins there can go on?"""
    is_before = happening.event == Event.KEY_FRAME and happening.call < begin
    return is_before or (happening.event == Event.STATE and happening.call <= begin)


def find_upstream_course(happenings: Sequence[Happening]) -> Course:
    """The way to an episode from its environment's last seed.

    Args:
        happenings: What happened to its environment before its end.

    Raises:
        ArgumentError: There is none, because the environment was put into some state since, or
            was given other options.
    """
    seeded = [i for i, event in enumerate(happenings) if event.event == Event.SEEDED_RESET]
    since = seeded[-1] if seeded else 0
    if since and happenings[since - 1].event == Event.RESET_OPTIONS:
        since -= 1
    way = [event for event in happenings[since:] if event.event != Event.KEY_FRAME]
    if any(event.event == Event.OPTIONS for event in happenings):
        raise ArgumentError(
            "in_ is 'gymnasium', and set_attr() has changed the environment's options, which "
            "Gymnasium's cannot follow"
        )
    if any(event.event in (Event.STATE, Event.LOST) for event in way):
        raise ArgumentError(
            "in_ is 'gymnasium', and set_state() or close() has changed the environment since its "
            "last seed, which Gymnasium's cannot follow"
        )
    return Course([], None, way)
