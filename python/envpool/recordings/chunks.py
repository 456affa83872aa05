"""The file of a recording, as cpp/recording/record_file.h and record_chunk.h describe it."""

from __future__ import annotations

import enum
import functools
import itertools
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.flavours.recording_header import CHUNKS, DTYPES, FORMAT, require_file

_MAGIC = b"ENVPOOL\n"
_FILE_HEAD = struct.Struct("<8sQ")
_CHUNK_HEAD = struct.Struct("<QQ")
_TIME = struct.Struct("<Q")
_COLUMN_HEAD = struct.Struct("<BB6xQQ")
_BYTE_BITS = 8
_BITS = (0, 1, 2, 4, 8, 16, 32, 64)
# More equal values, which take no bytes, than a chunk has.
_MOST_SAME = 2**26
# A pool writes a chunk when it takes a megabyte of memory (cpp/recording/recorder.cpp), so it has
# no more of these, beside those of its last call.
_MOST_CALLS = 2**18
_MOST_ENDS = 2**16
_MOST_EVENTS = 2**17
_EVENTS_OF_A_CALL = 3  # of an environment: made anew, options, a reset
_TYPES = {
    **{"rows": "uint32", "ids": "int32", "players": "int32"},
    **{"end_calls": "uint32", "end_envs": "int32", "end_lengths": "int32"},
    **{"end_flags": "uint8", "end_returns": ""},  # any: those that are integers are written as such
    **{"event_calls": "uint32", "event_envs": "int32", "event_kinds": "uint8"},
    **{"event_sizes": "uint32", "event_bytes": "uint8"},
}
_NAMES = tuple(_TYPES)


class Event(enum.IntEnum):
    """Happenings beside steps; the numbers are those of cpp/recording/record_chunk.h."""

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
    SURVIVED = 10


class Chunk:
    """A short time of a pool, with all that happened in it.

    Args:
        content: The bytes.
        time: When they were written, in seconds since 1970.
        first_call: How many calls of steps came before it.

    Raises:
        ArgumentError: They are damaged.
    """

    def __init__(self, content: bytes, time: float, first_call: int) -> None:
        self.time = time
        self.first_call = first_call
        self._content = content
        self._columns: list[tuple[int, int, int, int, int]] = []
        offset = 0
        while offset < len(content):
            if offset + _COLUMN_HEAD.size > len(content):
                raise ArgumentError("a chunk ends within a column")
            dtype, bits, least, count = _COLUMN_HEAD.unpack_from(content, offset)
            offset += _COLUMN_HEAD.size
            self._columns.append((offset, dtype, bits, least, count))
            offset += -(-count * bits // _BYTE_BITS)
            self._check_column(offset)
        self._check_counts()

    def _check_column(self, end: int) -> None:
        _, dtype, bits, _, count = self._columns[-1]
        fits = end <= len(self._content) if bits else count <= _MOST_SAME
        if bits not in _BITS or dtype >= len(DTYPES) or not fits:
            raise ArgumentError(f"a chunk has {count} values of type {dtype} in {bits} bits each")

    def _check_counts(self) -> None:
        """Ends have all their columns, and so have events."""
        counts = self._counts()
        for kind in ("end_", "event_"):
            own = {counts.get(n) for n in _NAMES if n.startswith(kind) and n != "event_bytes"}
            if len(own) != 1 or None in own:
                raise ArgumentError("a chunk has columns of different lengths")

    def check(self, num_envs: int) -> None:
        """Refuses what no pool has written, though its bytes are whole.

        Args:
            num_envs: How many environments the pool had.

        Raises:
            ArgumentError: A column has more values than others say, or than a pool can have noted
                meanwhile; or values that there are not.
        """
        for name, is_right in itertools.chain(self._check_numbers(), self._check_values(num_envs)):
            if not is_right:
                raise ArgumentError(f"its column {name!r} is none that a pool has written")

    def _check_numbers(self) -> Iterator[tuple[str, bool]]:
        """Says of columns whether so many values can be there; an environment ends once a call."""
        counts = self._counts()
        bits = dict(zip(_NAMES, (column[2] for column in self._columns), strict=False))
        yield "rows", self.calls <= _MOST_CALLS
        yield "ids", counts["ids"] <= self.calls << bits["ids"]
        yield "end_envs", self.ends <= _MOST_ENDS + (1 << bits["end_envs"])
        most = _MOST_EVENTS + (_EVENTS_OF_A_CALL << bits["event_envs"])
        yield "event_envs", counts["event_envs"] <= most
        for name, (_, dtype, _, _, count) in zip(_NAMES, self._columns, strict=False):
            yield name, count == 0 or DTYPES[dtype].startswith(_TYPES[name])

    def _check_values(self, num_envs: int) -> Iterator[tuple[str, bool]]:
        """Says of columns whether their values are some, and as many as others tell."""
        counts = self._counts()
        rows = self["rows"].astype(np.int64)
        yield "rows", rows.max(initial=0) <= num_envs
        yield "ids", counts["ids"] == rows.sum()
        for name in ("end_calls", "event_calls"):
            yield name, self[name].max(initial=0) <= self.calls
        yield "event_kinds", self["event_kinds"].max(initial=0) < len(Event)
        yield "event_bytes", counts["event_bytes"] == self["event_sizes"].sum(dtype=np.int64)

    def _counts(self) -> dict[str, int]:
        """How many values each column but the actions' has."""
        return dict(zip(_NAMES, (column[-1] for column in self._columns), strict=False))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column of the chunk.

        ``rows`` has a number for each call of steps: how many environments, 0 for all of them.
        Those of calls for some are in ``ids``. ``end_calls`` and ``event_calls`` tell how many
        calls of the chunk came before.
        """
        values = self._unpack(_NAMES.index(name))
        return np.cumsum(values, dtype=np.int64) if name.endswith("_calls") else values

    @property
    def calls(self) -> int:
        """The number of calls of steps."""
        return self._columns[0][-1]

    @property
    def ends(self) -> int:
        """The number of episodes that end."""
        return self._columns[_NAMES.index("end_envs")][-1]

    @property
    def fields(self) -> int:
        """The number of arrays of its actions."""
        return len(self._columns) - len(_NAMES)

    @property
    def actions(self) -> list[NDArray[Any]]:
        """For each field of the actions all numbers, one call after the other."""
        return [self._unpack(column) for column in range(len(_NAMES), len(self._columns))]

    def _unpack(self, column: int) -> NDArray[Any]:
        offset, dtype_number, bits, least, count = self._columns[column]
        dtype = np.dtype(DTYPES[dtype_number])
        size = -(-count * bits // _BYTE_BITS)
        if dtype.kind == "f" and bits == _BYTE_BITS * dtype.itemsize:
            return np.frombuffer(self._content, dtype, count, offset)
        if bits >= _BYTE_BITS:
            above = np.frombuffer(self._content, f"u{bits // _BYTE_BITS}", count, offset)
        elif bits == 0:
            above = np.zeros(1, np.uint8)
        else:
            above = _unpack_parts(np.frombuffer(self._content, "u1", size, offset), bits, count)
        # Modulo 2**64, in which negative numbers are themselves again.
        values = above.astype(np.uint64) + np.uint64(least)
        values = (
            values.astype(np.int64).astype(dtype) if dtype.kind == "f" else values.astype(dtype)
        )
        # Many equal ones take no memory, either.
        return np.broadcast_to(values, count) if bits == 0 else values


class OpenChunk:
    """A chunk whose columns are unpacked once, for several environments.

    Args:
        chunk: The chunk.
    """

    def __init__(self, chunk: Chunk) -> None:
        self.first_call = chunk.first_call
        self._chunk = chunk
        self._columns: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        """See :class:`Chunk`."""
        if name not in self._columns:
            self._columns[name] = self._chunk[name]
        return self._columns[name]

    @functools.cached_property
    def actions(self) -> list[NDArray[Any]]:
        """See :class:`Chunk`."""
        return self._chunk.actions


def _unpack_parts(packed: NDArray[np.uint8], bits: int, count: int) -> NDArray[np.uint8]:
    shifts = np.arange(0, _BYTE_BITS, bits, dtype=np.uint8)
    parts = (packed[:, None] >> shifts) & np.uint8((1 << bits) - 1)
    return parts.reshape(-1)[:count]


def read_chunks(path: Path) -> Iterator[Chunk]:
    """The chunks of a file, up to the first one that is not whole.

    Raises:
        ArgumentError: It is no file of a recording, or of another format.
    """
    try:
        require_file(path)
        file = path.open("rb")
    except OSError as error:
        raise ArgumentError(
            f"{shown(str(path.parent))} is not a complete recording: {CHUNKS} cannot be read: "
            f"{error.strerror}"
        ) from None
    with file:
        head = file.read(_FILE_HEAD.size)
        if len(head) < _FILE_HEAD.size:
            return  # the process ended before
        magic, version = _FILE_HEAD.unpack(head)
        if magic != _MAGIC or version != FORMAT:
            raise ArgumentError(
                f"{shown(str(path))} is not a recording of format {FORMAT}: it begins with "
                f"{shown(head)}"
            )
        calls = 0
        while (chunk := _read_chunk(file, calls)) is not None:
            calls += chunk.calls
            yield chunk


def _read_chunk(file: Any, first_call: int) -> Chunk | None:
    head = file.read(_CHUNK_HEAD.size)
    if len(head) < _CHUNK_HEAD.size:
        return None
    size, checksum = _CHUNK_HEAD.unpack(head)
    if file.tell() + _TIME.size + size > os.fstat(file.fileno()).st_size:
        return None
    content = file.read(_TIME.size + size)
    if len(content) < _TIME.size or _core.hash_of_bytes(content) != checksum:
        return None
    (time,) = _TIME.unpack_from(content)
    try:
        return Chunk(content[_TIME.size :], time * 1e-9, first_call)
    except ArgumentError:
        return None
