"""Timeline: what happened to environments, in order, and the way to an episode."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import json
import operator
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


class Timeline:
    """All that happened to a pool's environments.

    Args:
        chunks: The recording's.
        num_envs: How many environments the pool has.
        fields: The arrays of actions.
    """

    def __init__(self, chunks: Sequence[Chunk], num_envs: int, fields: Sequence[Field]) -> None:
        self.chunks, self._num_envs, self._fields = chunks, num_envs, fields

    def lost(self) -> set[int]:
        """The environments that are somewhere else than what was recorded leads to."""
        events = [chunk.events for chunk in self.chunks]
        return {env for own in events for env in own["env"][own["kind"] == Event.LOST].tolist()}

    def until(self, end: int, envs: Sequence[int]) -> Iterator[Happening | Step]:
        """What happened to some environments until so many calls of steps had ended."""
        events = itertools.takewhile(lambda event: event.call <= end, self._events(envs))
        return _in_order(events, self._steps(envs, 0, end))

    def course_of(self, row: Any, number: int) -> list[Happening | Step]:
        """What leads to an episode's end: from the last state before it, with its options, on.

        Args:
            row: Its row in the table.
            number: How many episodes of its environment ended before it.
        """
        env, begin = int(row["env"]), int(row["begin_call"])
        events = list(self._events([env]))
        ends = [place for place, event in enumerate(events) if event.event == Event.END]
        events = events[: ends[number]]
        way: list[Happening | Step] = []
        states = [place for place, event in enumerate(events) if event.is_state_before(begin)]
        if states:
            before, state = events[: states[-1]], events[states[-1]]
            events = events[states[-1] + 1 :]
            way += [event for event in before if event.event == Event.OPTIONS][-1:]
            way.append(dataclasses.replace(state, event=Event.STATE))
        steps = self._steps([env], way[-1].call if way else 0, int(row["end_call"]))
        return [*way, *_in_order((each for each in events if each.event != Event.END), steps)]

    def _events(self, envs: Sequence[int]) -> Iterator[Happening]:
        for chunk in self.chunks:
            for i in np.flatnonzero(np.isin(chunk.events["env"], envs)):
                call, env, kind, _ = chunk.events[i].item()
                yield Happening(call, env, Event(kind), chunk.content_of(i))

    def _steps(self, envs: Sequence[int], begin: int, end: int) -> Iterator[Step]:
        """What environments did in the calls from one to another."""
        for chunk in self.chunks:
            if chunk.first_call < end and begin < chunk.first_call + len(chunk.rows):
                steps = self._steps_of(chunk, envs)
                yield from (step for step in steps if begin <= step.call < end)

    def _steps_of(self, chunk: Chunk, envs: Sequence[int]) -> Iterator[Step]:
        counts = np.where(chunk.rows == 0, self._num_envs, chunk.rows).astype(np.int64)
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
            for values, field in zip(chunk.actions, self._fields, strict=True)
        ]
        starts = np.flatnonzero(np.diff(calls, prepend=-1)).tolist()
        for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True):
            parts = (field[start:stop] for field in actions)
            yield Step(
                chunk.first_call + int(calls[start]),
                ids[rows[start:stop]],
                tuple(np.concatenate(part) if isinstance(part, list) else part for part in parts),
            )


def _in_order(events: Iterable[Happening], steps: Iterable[Step]) -> Iterator[Happening | Step]:
    """Events and steps in the order in which they happened: an event before its call's step."""
    return heapq.merge(events, steps, key=operator.attrgetter("call"))


def _rows_of(
    chunk: Chunk, values: NDArray[Any], field: Field, rows: NDArray[np.int64]
) -> NDArray[Any] | list[NDArray[Any]]:
    """The actions of some rows of all calls: a list if there can be several of each."""
    values = values.reshape(-1, *field["shape"])
    if not (field["per_player"] and len(chunk.players)):
        return values[rows]
    ends = np.cumsum(chunk.players, dtype=np.int64)
    return [values[ends[row] - chunk.players[row] : ends[row]] for row in rows]
