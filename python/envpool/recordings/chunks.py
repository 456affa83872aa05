"""The file of a recording, as cpp/recording/record_file.h and record_chunk.h describe it."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.recordings.header import CHUNKS, DTYPES, FORMAT

_MAGIC = b"ENVPOOL\n"
_FILE_HEAD = struct.Struct("<8sQ")
_CHUNK_HEAD = struct.Struct("<QQ")
_TIME = struct.Struct("<Q")
_COLUMN_HEAD = struct.Struct("<BB6xQQ")
_BYTE_BITS = 8
_BITS = (0, 1, 2, 4, 8, 16, 32, 64)
# More equal values, which take no bytes, than a chunk has.
_MOST_SAME = 2**26
_NAMES = (
    *("rows", "ids", "players"),
    *("end_calls", "end_envs", "end_lengths", "end_flags", "end_returns"),
    *("event_calls", "event_envs", "event_kinds", "event_sizes", "event_bytes"),
)


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
        counts = dict(zip(_NAMES, (column[-1] for column in self._columns), strict=False))
        for kind in ("end_", "event_"):
            own = {counts.get(n) for n in _NAMES if n.startswith(kind) and n != "event_bytes"}
            if len(own) != 1 or None in own:
                raise ArgumentError("a chunk has columns of different lengths")

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
        else:
            above = _unpack_parts(np.frombuffer(self._content, "u1", size, offset), bits, count)
        # Modulo 2**64, in which negative numbers are themselves again.
        values = above.astype(np.uint64) + np.uint64(least)
        return values.astype(np.int64).astype(dtype) if dtype.kind == "f" else values.astype(dtype)


def _unpack_parts(packed: NDArray[np.uint8], bits: int, count: int) -> NDArray[np.uint8]:
    if bits == 0:
        return np.zeros(count, np.uint8)
    shifts = np.arange(0, _BYTE_BITS, bits, dtype=np.uint8)
    parts = (packed[:, None] >> shifts) & np.uint8((1 << bits) - 1)
    return parts.reshape(-1)[:count]


def read_chunks(path: Path) -> Iterator[Chunk]:
    """The chunks of a file, up to the first one that is not whole.

    Raises:
        ArgumentError: It is no file of a recording, or of another format.
    """
    try:
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
