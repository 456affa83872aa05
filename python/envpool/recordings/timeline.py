"""What happened to one environment, in order."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.recordings.chunks import Chunk


class Event(enum.IntEnum):
    """What happens beside steps; the numbers are those of cpp/recording/record_chunk.h."""

    RESET = 0
    SEEDED_RESET = 1
    RESET_OPTIONS = 2
    OPTIONS = 3
    KEY_FRAME = 4
    STATE = 5
    LOST = 6
    FAILURE = 7
    WORKER_END = 8
    MADE = 9


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
        """The seed of a reset, if it has one."""
        return int.from_bytes(self.content, "little") if self.content else None

    @property
    def options(self) -> dict[str, Any]:
        """The options of an event that has some, without those that are None."""
        options: dict[str, Any] = json.loads(self.content)
        return {name: value for name, value in options.items() if value is not None}


def events_of(chunk: Chunk, env: int) -> list[Happening]:
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
    """Where the actions of one environment are in a chunk.

    Args:
        chunk: The chunk.
        env: The environment.
        num_envs: How many there are.
    """

    def __init__(self, chunk: Chunk, env: int, num_envs: int) -> None:
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

    def actions(self, shapes: Sequence[tuple[tuple[int, ...], bool]]) -> list[NDArray[Any]]:
        """For each field of the actions a list of arrays, one for each step.

        Args:
            shapes: Of each field: the shape of one action, and whether each player has one.
        """
        fields = []
        players = self._chunk["players"].astype(np.int64)
        num_rows = int(self._rows.max(initial=-1)) + 1
        for values, (shape, per_player) in zip(self._chunk.actions, shapes, strict=True):
            # How many empty arrays there are, their values do not tell.
            count = -1 if math.prod(shape) else max(num_rows, int(players.sum()))
            rows = values.reshape(count, *shape)
            if not per_player or not len(players):
                fields.append([rows[row : row + 1] for row in self._rows])
                continue
            ends = np.cumsum(players)
            fields.append([rows[ends[row] - players[row] : ends[row]] for row in self._rows])
        return fields  # type: ignore[return-value]


def happenings(
    chunks: Sequence[Chunk],
    env: int,
    num_envs: int,
    shapes: Sequence[tuple[tuple[int, ...], bool]],
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
