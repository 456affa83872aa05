"""The file of a recording, as cpp/recording/record_chunk.h describes it."""

from __future__ import annotations

import enum
import gzip
import struct
import warnings
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.flavours.recording_header import CHUNKS, DTYPES, FORMAT

_MAGIC = b"ENVPOOL\n"
_FILE_HEAD = struct.Struct("<8sQ")
_CHUNK_HEAD = struct.Struct("<QQ")
_NUMBER = struct.Struct("<Q")
_EVENT = np.dtype([("call", "u4"), ("env", "i4"), ("kind", "u4"), ("size", "u4")])
_COLUMNS: Sequence[Any] = ("u4", "i4", "i4", _EVENT, "u1", "u1")


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
    NEXT = 8


class Chunk:
    """A short time of a pool, with all that happened in it.

    Args:
        content: The bytes.
        time: When they were written, in seconds since 1970.
        first_call: How many calls of steps came before it.

    Attributes:
        rows: For each call of steps how many environments it was for, 0 for all of them.
        ids: The environments of calls for some.
        players: How many players each environment of each call had; empty if each had one.
        events: The other happenings: ``call`` (how many calls of steps had come before), ``env``,
            ``kind``, ``size`` (of its content).
    """

    def __init__(self, content: bytes, time: float, first_call: int) -> None:
        self.time = time
        self.first_call = first_call
        columns = list(_columns_of(content))
        self._actions = columns[len(_COLUMNS) :]
        own = map(np.frombuffer, columns, _COLUMNS)
        self.rows, self.ids, self.players, events, contents, self._types = own
        self.events: NDArray[Any] = events.astype([("call", "i8"), *_EVENT.descr[1:]])
        self.events["call"] += first_call
        self._contents = contents.tobytes()
        self._ends = np.cumsum(self.events["size"], dtype=np.int64)

    @property
    def actions(self) -> list[NDArray[Any]]:
        """For each field all numbers, one call after the other, in the type they were sent in."""
        return [
            np.frombuffer(values, DTYPES[kept_as]).astype(DTYPES[sent_as], copy=False)
            for values, (sent_as, kept_as) in zip(
                self._actions, self._types.reshape(-1, 2), strict=True
            )
        ]

    def content_of(self, row: Any) -> bytes:
        """The bytes of the event in this row."""
        end = self._ends[row]
        return self._contents[end - self.events["size"][row] : end]


def _columns_of(content: bytes) -> Iterator[memoryview]:
    offset = 0
    while offset < len(content):
        (size,) = _NUMBER.unpack_from(content, offset)
        offset += _NUMBER.size + size
        yield memoryview(content)[offset - size : offset]


def read_chunks(path: Path) -> Iterator[Chunk]:
    """The chunks of a file, up to the first one that is not whole, with a warning of what is left.

    Args:
        path: The recording's folder, in which the file may have been compressed by gzip.

    Raises:
        ArgumentError: There is no file of a recording, or it has another format.
    """
    packed = path / f"{CHUNKS}.gz"
    try:
        file: Any = gzip.GzipFile(packed) if packed.exists() else (path / CHUNKS).open("rb")
    except OSError as error:
        raise ArgumentError(
            f"{shown(str(path))} is not a complete recording: {CHUNKS} cannot be read: "
            f"{error.strerror}"
        ) from None
    with file:
        head = file.read(_FILE_HEAD.size)
        is_whole = len(head) == _FILE_HEAD.size
        if is_whole and _FILE_HEAD.unpack(head) != (_MAGIC, FORMAT):
            raise ArgumentError(
                f"{shown(str(path / CHUNKS))} is not a recording of format {FORMAT}: it begins "
                f"with {shown(head)}"
            )
        found: bytes | None = b""
        calls, end = 0, file.tell()
        while is_whole and (found := _read_checked(file)):
            (time,) = _NUMBER.unpack_from(found)
            chunk = Chunk(found[_NUMBER.size :], time * 1e-9, calls)
            calls += len(chunk.rows)
            yield chunk
            end = file.tell()
    if found is not None:
        warnings.warn(
            f"{path}: {CHUNKS} cannot be read beyond its first {end} bytes, because it is damaged, "
            "cut off or still being written: what follows is missing here",
            RuntimeWarning,
            stacklevel=4,
        )


def _read_checked(file: Any) -> bytes | None:
    """The time and the content of the next chunk; nothing if it is not whole, None at the end."""
    try:
        head = file.read(_CHUNK_HEAD.size)
        if not head:
            return None
        size, checksum = _CHUNK_HEAD.unpack(head)
        content: bytes = file.read(_NUMBER.size + size)
    except (EOFError, MemoryError, OverflowError, struct.error, zlib.error):
        return b""
    is_whole = len(content) == _NUMBER.size + size and _core.hash_of_bytes(content) == checksum
    return content if is_whole else b""
