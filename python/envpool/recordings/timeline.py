"""What happened to environments, in order, and the way to an episode."""

from __future__ import annotations

import dataclasses
import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    def is_reset(self) -> bool:
        """True if it is a reset."""
        return self.event in (Event.RESET, Event.SEEDED_RESET)

    @property
    def seed(self) -> int | None:
        """The seed of a reset, if it has one."""
        return int.from_bytes(self.content, "little") if self.content else None

    @property
    def next_episode(self) -> tuple[int | None, dict[str, Any] | None, bytes | None]:
        """The seed, options and state of the next episode."""
        said, _, state = self.content.partition(b"\n")
        seed, options = json.loads(said)
        if options is not None:
            options = {name: value for name, value in options.items() if value is not None}
        return seed, options, state or None

    @property
    def text(self) -> str:
        """The words of an event that has some."""
        return self.content.decode(errors="replace")

    @property
    def options(self) -> dict[str, Any]:
        """The options of an event that has some, without those that are None."""
        options = json.loads(self.content)
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
    counts = np.where(chunk.rows == 0, num_envs, chunk.rows).astype(np.int64)
    calls = np.repeat(np.arange(len(counts)), counts)
    ids = np.arange(len(calls), dtype=np.int32)  # the place within a call for all of them
    ids -= (np.cumsum(counts) - counts).astype(np.int32)[calls]
    ids[np.repeat(chunk.rows != 0, counts)] = chunk.ids
    rows = np.flatnonzero(np.isin(ids, envs))
    if not len(rows):
        return
    calls = calls[rows]
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


def way_to(begin: int, history: Iterable[Happening | Step]) -> list[Happening | Step]:
    """What leads to an episode: a state, the options that hold there, and what follows it.

    Args:
        begin: How many calls had come before the episode's beginning.
        history: All that happened to its environment until its end.
    """
    way: list[Happening | Step] = []
    for item in history:
        if isinstance(item, Happening) and is_state_before(item, begin):
            options = [before for before in way if _is(before, Event.OPTIONS)]
            way = [*options[-1:], dataclasses.replace(item, event=Event.STATE)]
        else:
            way.append(item)
    return way


def is_state_before(item: Happening | Step, begin: int) -> bool:
    """True if the way to an episode that begins after so many calls can go on from there."""
    is_before = _is(item, Event.KEY_FRAME) and item.call < begin
    return is_before or (_is(item, Event.STATE) and item.call <= begin)


def _is(item: Happening | Step, event: Event) -> bool:
    return isinstance(item, Happening) and item.event == event
