"""What happened to environments, in order, and the way to an episode."""

from __future__ import annotations

import dataclasses
import json
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
        return seed, options if options is None else _given(options), state or None

    @property
    def text(self) -> str:
        """The words of an event that has some."""
        return self.content.decode(errors="replace")

    @property
    def options(self) -> dict[str, Any]:
        """The options of an event that has some, without those that are None."""
        return _given(json.loads(self.content))

    def is_state_before(self, begin: int) -> bool:
        """True if the way to an episode that begins after so many calls can go on from here."""
        is_key_frame = self.event == Event.KEY_FRAME and self.call < begin
        return is_key_frame or (self.event == Event.STATE and self.call <= begin)


def _given(options: dict[str, Any]) -> dict[str, Any]:
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


def events_of(chunks: Iterable[Chunk], envs: Sequence[int]) -> Iterator[Happening]:
    """The events of some environments, in their order."""
    for chunk in chunks:
        for i in np.flatnonzero(np.isin(chunk.events["env"], envs)):
            call, env, kind, _ = chunk.events[i].item()
            yield Happening(call, env, Event(kind), chunk.content_of(i))


def steps_of(
    chunk: Chunk, envs: Sequence[int], num_envs: int, fields: Sequence[Field]
) -> Iterator[Step]:
    """The steps of some environments.

    Args:
        chunk: The chunk.
        envs: The environments.
        num_envs: How many the pool has.
        fields: The arrays of actions.
    """
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
