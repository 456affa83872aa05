"""The file of a recording, as cpp/recording/record_file.h and record_chunk.h describe it."""

from __future__ import annotations

import enum
import math
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.flavours.recording_header import CHUNKS, DTYPES, FORMAT, require_file
from envpool.spec.fields import Field

_MAGIC = b"ENVPOOL\n"
_FILE_HEAD = struct.Struct("<8sQ")
_CHUNK_HEAD = struct.Struct("<QQ")
_NUMBER = struct.Struct("<Q")
_EVENT = np.dtype([("call", "u4"), ("env", "i4"), ("kind", "u4"), ("size", "u4")])
_END = np.dtype([("return", "f8"), ("length", "i4"), ("flags", "u4")])
_COLUMNS: Sequence[Any] = ("u4", "i4", "i4", _EVENT, "u1")


class Event(enum.IntEnum):
    """Happenings beside steps; the numbers are those of cpp/recording/record_chunk.h."""

    RESET = 0
    SEEDED_RESET = 1
    RESET_OPTIONS = 2
    OPTIONS = 3
    KEY_FRAME = 4
    STATE = 5
    LOST = 6
    END = 7
    SURVIVED = 8


class Chunk:
    """A short time of a pool, with all that happened in it.

    Args:
        content: The bytes.
        time: When they were written, in seconds since 1970.
        first_call: How many calls of steps came before it.
        num_envs: How many environments the pool had.
        fields: The arrays of its actions.

    Attributes:
        rows: For each call of steps how many environments it was for, 0 for all of them.
        ids: The environments of calls for some.
        players: How many players each environment of each call had; empty if each had one.
        events: The other happenings: ``call`` (how many calls of steps had come before), ``env``,
            ``kind``, ``size`` (of its content).
        contents: The bytes of all events, one after the other.

    Raises:
        ArgumentError: No pool has written it.
    """

    def __init__(
        self, content: bytes, time: float, first_call: int, num_envs: int, fields: Sequence[Field]
    ) -> None:
        self.time = time
        self.first_call = first_call
        columns = list(_columns_of(content))
        try:
            plain = [
                np.frombuffer(column, dtype)
                for column, dtype in zip(columns, _COLUMNS, strict=False)
            ]
            self.rows, self.ids, self.players, events, contents = plain
            self._types = np.frombuffer(columns[len(plain)], np.uint8).reshape(-1, 2)
            self._actions = [
                np.frombuffer(column, DTYPES[kept_as])
                for column, (_, kept_as) in zip(columns[len(plain) + 1 :], self._types, strict=True)
            ]
        except (ValueError, IndexError) as error:
            raise ArgumentError(f"a chunk has other columns than a pool writes: {error}") from None
        self.events = events.astype([("call", "i8"), *_EVENT.descr[1:]])
        self.events["call"] += first_call
        self.contents = contents.tobytes()
        self._check(num_envs, fields)

    def _check(self, num_envs: int, fields: Sequence[Field]) -> None:
        count = self.count_rows(num_envs)
        most = self.first_call + len(self.rows)
        checks = {
            "rows": self.rows.max(initial=0) <= num_envs,
            "ids": len(self.ids) == self.rows.sum(dtype=np.int64) and _are(self.ids, num_envs),
            "players": len(self.players) in (0, count) and self.players.min(initial=0) >= 0,
            "events": self.events["call"].max(initial=0) <= most
            and _are(self.events["env"], num_envs)
            and self.events["kind"].max(initial=0) < len(Event)
            and self.events["size"].sum(dtype=np.int64) == len(self.contents)
            and (self.events["size"][self.is_end] == _END.itemsize).all(),
            "types": len(self._types) == len(fields) and _are(self._types, len(DTYPES)),
        }
        for field, values in zip(fields, self._actions, strict=False):
            rows = self.count_actions(field, count)
            checks[field.get("name", "action")] = len(values) == rows * math.prod(field["shape"])
        for name, is_right in checks.items():
            if not is_right:
                raise ArgumentError(f"its column {name!r} is none that a pool has written")

    def count_rows(self, num_envs: int) -> int:
        """The number of environments of all calls."""
        return num_envs * int((self.rows == 0).sum()) + int(self.rows.sum(dtype=np.int64))

    def count_actions(self, field: Field, rows: int) -> int:
        """The number of actions, which are those of so many environments of all calls."""
        has_players = field["per_player"] and len(self.players) > 0
        return int(self.players.sum(dtype=np.int64)) if has_players else rows

    @property
    def actions(self) -> list[NDArray[Any]]:
        """For each field all numbers, one call after the other, in the type they were sent in."""
        return [
            values.astype(DTYPES[sent_as], copy=False)
            for values, (sent_as, _) in zip(self._actions, self._types, strict=True)
        ]

    @property
    def is_end(self) -> NDArray[np.bool_]:
        """True for each event that is the end of an episode."""
        is_end: NDArray[np.bool_] = self.events["kind"] == Event.END
        return is_end

    @property
    def ends(self) -> NDArray[Any]:
        """What is known of the ends of episodes: ``return``, ``length`` and ``flags``."""
        return np.frombuffer(b"".join(self.contents_of(np.flatnonzero(self.is_end))), _END)

    def contents_of(self, chosen: NDArray[np.int64]) -> Iterator[bytes]:
        """The bytes of some of the events."""
        sizes = self.events["size"].astype(np.int64)
        ends = np.cumsum(sizes)
        return (self.contents[ends[i] - sizes[i] : ends[i]] for i in chosen)


def _columns_of(content: bytes) -> Iterator[memoryview]:
    offset = 0
    while offset < len(content):
        if offset + _NUMBER.size > len(content):
            raise ArgumentError("a chunk ends within a column")
        (size,) = _NUMBER.unpack_from(content, offset)
        offset += _NUMBER.size + size
        if offset > len(content):
            raise ArgumentError("a chunk ends within a column")
        yield memoryview(content)[offset - size : offset]


def _are(numbers: NDArray[Any], count: int) -> bool:
    """True if all numbers are at least 0 and below a count."""
    return bool(numbers.min(initial=0) >= 0 and numbers.max(initial=0) < count)


def read_chunks(path: Path, num_envs: int, fields: Sequence[Field]) -> Iterator[Chunk]:
    """The chunks of a file, up to the first one that is not whole.

    Args:
        path: The recording's folder.
        num_envs: How many environments the pool had.
        fields: The arrays of its actions.

    Raises:
        ArgumentError: There is no file of a recording, or it has another format; or no pool has
            written a chunk, although its bytes are whole.
    """
    try:
        require_file(path / CHUNKS)
        file = (path / CHUNKS).open("rb")
    except OSError as error:
        raise ArgumentError(
            f"{shown(str(path))} is not a complete recording: {CHUNKS} cannot be read: "
            f"{error.strerror}"
        ) from None
    with file:
        head = file.read(_FILE_HEAD.size)
        if len(head) < _FILE_HEAD.size:
            return  # the process ended before
        magic, version = _FILE_HEAD.unpack(head)
        if magic != _MAGIC or version != FORMAT:
            raise ArgumentError(
                f"{shown(str(path / CHUNKS))} is not a recording of format {FORMAT}: it begins "
                f"with {shown(head)}"
            )
        calls = number = 0
        while (found := _read_checked(file)) is not None:
            (time,) = _NUMBER.unpack_from(found)
            try:
                chunk = Chunk(found[_NUMBER.size :], time * 1e-9, calls, num_envs, fields)
            except ArgumentError as error:
                raise ArgumentError(
                    f"{shown(str(path))} is not a recording: of chunk {number}, {error}"
                ) from None
            calls += len(chunk.rows)
            number += 1
            yield chunk


def _read_checked(file: Any) -> bytes | None:
    """The time and the content of the next chunk, if it is whole."""
    head = file.read(_CHUNK_HEAD.size)
    if len(head) < _CHUNK_HEAD.size:
        return None
    size, checksum = _CHUNK_HEAD.unpack(head)
    if file.tell() + _NUMBER.size + size > os.fstat(file.fileno()).st_size:
        return None
    content: bytes = file.read(_NUMBER.size + size)
    is_whole = len(content) == _NUMBER.size + size and _core.hash_of_bytes(content) == checksum
    return content if is_whole else None
