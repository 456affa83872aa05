"""What happened to environments, in order, and the course that leads to an episode."""

from __future__ import annotations

import dataclasses
import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.recordings.chunks import Chunk, Event
from envpool.spec.fields import Field


@dataclasses.dataclass(frozen=True)
class Happening:
    """An event of one environment.

    Attributes:
        call: How many calls of steps of the pool came before.
        env: The environment.
        event: What it was.
        content: Its bytes.
    """

    call: int
    env: int
    event: Event
    content: bytes = b""

    @property
    def seed(self) -> int | None:
        """The seed of a reset, if it has one."""
        return int.from_bytes(self.content, "little") if self.content else None

    @property
    def text(self) -> str:
        """The words of an event that has some."""
        return self.content.decode(errors="replace")

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


@dataclasses.dataclass(frozen=True)
class Step:
    """What one call steps.

    Attributes:
        call: How many calls of steps of the pool came before.
        envs: The environments.
        actions: For each field of the actions an array with a row for each of them, or, if each
            player has one, for all players of the first, then of the second, and so on.
    """

    call: int
    envs: NDArray[np.int32]
    actions: tuple[NDArray[Any], ...]


def events_of(chunk: Chunk, envs: Sequence[int]) -> list[Happening]:
    """The events of some environments."""
    chosen = np.flatnonzero(np.isin(chunk.events["env"], envs))
    if not len(chosen):
        return []
    return [
        Happening(int(event["call"]), int(event["env"]), Event(event["kind"]), content)
        for event, content in zip(chunk.events[chosen], chunk.contents_of(chosen), strict=True)
    ]


def happenings(
    chunks: Iterable[Chunk], envs: Sequence[int], num_envs: int, fields: Sequence[Field]
) -> Iterator[Happening | Step]:
    """All that happened to some environments.

    Args:
        chunks: The chunks.
        envs: The environments.
        num_envs: How many there are.
        fields: The arrays of actions.
    """
    for chunk in chunks:
        events = deque(events_of(chunk, envs))
        for step in _steps_of(chunk, envs, num_envs, fields):
            while events and events[0].call <= step.call:
                yield events.popleft()
            yield step
        yield from events


def _steps_of(
    chunk: Chunk, envs: Sequence[int], num_envs: int, fields: Sequence[Field]
) -> Iterator[Step]:
    is_whole = chunk.rows == 0
    counts = np.where(is_whole, num_envs, chunk.rows).astype(np.int64)
    ids = np.tile(np.arange(num_envs, dtype=np.int32), int(is_whole.sum()))
    if not is_whole.all():
        all_ids = np.empty(counts.sum(), np.int32)
        of_whole = np.repeat(is_whole, counts)
        all_ids[of_whole], all_ids[~of_whole] = ids, chunk.ids
        ids = all_ids
    rows = np.flatnonzero(np.isin(ids, envs))
    if not len(rows):
        return
    calls = np.repeat(np.arange(len(counts)), counts)[rows]
    actions = [
        _rows_of(chunk, values, field, rows)
        for values, field in zip(chunk.actions, fields, strict=True)
    ]
    starts = np.flatnonzero(np.diff(calls, prepend=-1)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True):
        parts = (field[start:stop] for field in actions)
        yield Step(
            chunk.first_call + int(calls[start]),
            ids[rows[start:stop]],
            tuple(np.concatenate(part) if isinstance(part, list) else part for part in parts),
        )


def _rows_of(
    chunk: Chunk, values: NDArray[Any], field: Field, rows: NDArray[np.int64]
) -> NDArray[Any] | list[NDArray[Any]]:
    """The actions of some rows of all calls: a list if there can be several of each."""
    values = values.reshape(-1, *field["shape"])
    if not (field["per_player"] and len(chunk.players)):
        return values[rows]
    ends = np.cumsum(chunk.players, dtype=np.int64)
    return [values[ends[row] - chunk.players[row] : ends[row]] for row in rows]


@dataclasses.dataclass(frozen=True)
class Course:
    """The way to the end of an episode, from the nearest state that is known.

    Attributes:
        options: The last change of its environment's options before.
        origin: The state from which it goes on; None: as the environment was made.
        first: The step of the episode after which the origin is; None: it is before the episode.
        way: What happened from there on, each with the step of the episode that it is; -1 for what
            is none.
    """

    options: Happening | None
    origin: Happening | None
    first: int | None
    way: list[tuple[Happening | Step, int]]


def find_course(
    history: Sequence[Happening | Step], begin: int, start: int, begins_at_once: bool
) -> Course:
    """The shortest way to an episode.

    Args:
        history: What happened to its environment before its end.
        begin: How many calls had come before its beginning.
        start: Which step it is wanted from.
        begins_at_once: True if it began in the step that ended the one before.
    """
    steps = [-1] * len(history)
    step: int | None = 0 if begins_at_once else None
    place, first = -1, None
    for i, item in enumerate(history):
        if is_state_before(item, begin):
            place = i
        if isinstance(item, Step):
            if item.call >= begin:
                steps[i] = step = 0 if step is None else step + 1
            elif begins_at_once and item.call == begin - 1:
                steps[i] = 0
        elif item.call >= begin:
            if item.event in (Event.RESET, Event.SEEDED_RESET):
                steps[i] = step = 0
            elif item.event == Event.KEY_FRAME and step is not None and step <= start:
                place, first = i, step
    options = [item for item in history[: place + 1] if _is(item, Event.OPTIONS)]
    origin = history[place] if place >= 0 else None
    return Course(
        options[-1] if options else None,  # type: ignore[arg-type]
        origin,  # type: ignore[arg-type]
        first,
        list(zip(history, steps, strict=True))[place + 1 :],
    )


def is_state_before(item: Happening | Step, begin: int) -> bool:
    """True if the way to an episode that begins after so many calls can go on from there."""
    is_before = _is(item, Event.KEY_FRAME) and item.call < begin
    return is_before or (_is(item, Event.STATE) and item.call <= begin)


def _is(item: Happening | Step, event: Event) -> bool:
    return isinstance(item, Happening) and item.event == event
