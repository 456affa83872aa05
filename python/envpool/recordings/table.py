"""The table of a recording's episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.recordings.chunks import Chunk, Event

EPISODE = np.dtype(
    [
        ("episode", "i8"),
        ("env", "i4"),
        ("return", "f8"),
        ("length", "i4"),
        ("end", "U10"),
        ("begin_call", "i8"),
        ("end_call", "i8"),
        ("seed", "u8"),
        ("time", "f8"),
    ]
)
_END = np.dtype([("return", "f8"), ("length", "i4"), ("flags", "u4")])
_TERMINATED, _CONTINUES, _FAILED = 1, 4, 8
# Episodes begin after these, and after the end of another.
_MARKS = (Event.RESET, Event.SEEDED_RESET, Event.STATE, Event.LOST, Event.END)


def make_table(chunks: Sequence[Chunk], seed_of: Callable[[int], int]) -> NDArray[Any]:
    """All episodes that ended, in that order.

    Args:
        chunks: The chunks of the recording.
        seed_of: What an environment was seeded with at first.

    Returns:
        An array of :data:`EPISODE`.
    """
    if not chunks:
        return np.zeros(0, EPISODE)
    ends = [np.flatnonzero(chunk.events["kind"] == Event.END) for chunk in chunks]
    contents = [chunk.content_of(i) for chunk, own in zip(chunks, ends, strict=True) for i in own]
    told = np.frombuffer(b"".join(content[: _END.itemsize] for content in contents), _END)
    table = np.zeros(len(told), EPISODE)
    table["episode"] = np.arange(len(table))
    events = np.concatenate([chunk.events for chunk in chunks])
    events = events[np.isin(events["kind"], _MARKS)]
    is_end = events["kind"] == Event.END
    table["env"], table["end_call"] = events["env"][is_end], events["call"][is_end]
    table["begin_call"] = _calls_before(events)[is_end]
    table["return"], table["length"] = told["return"], told["length"]
    table["end"] = "truncated"
    for flag, end in ((_TERMINATED, "terminated"), (_CONTINUES, "life"), (_FAILED, "failed")):
        table["end"][(told["flags"] & flag) != 0] = end
    seeds = (content[_END.itemsize :] for content in contents)
    table["seed"] = [
        int.from_bytes(seed, "little") if seed else seed_of(env)
        for env, seed in zip(table["env"].tolist(), seeds, strict=True)
    ]
    table["time"] = np.repeat([chunk.time for chunk in chunks], [len(own) for own in ends])
    return table


def _calls_before(events: NDArray[Any]) -> NDArray[np.int64]:
    """The call of the event before each, in its environment; 0, the pool's beginning, of none."""
    order = np.argsort(events["env"], kind="stable")
    envs, calls = events["env"][order], events["call"][order]
    before = np.zeros(len(events), np.int64)
    before[order[1:]] = np.where(envs[1:] == envs[:-1], calls[:-1], 0)
    return before
