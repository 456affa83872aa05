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
    table = np.concatenate([np.zeros(0, EPISODE), *map(_ends_of, chunks)])
    table["episode"] = np.arange(len(table))
    seeds = [seed for chunk in chunks for seed in chunk.seeds]
    table["seed"] = [
        seed_of(env) if seed is None else seed
        for env, seed in zip(table["env"].tolist(), seeds, strict=True)
    ]
    marks = np.concatenate([np.zeros(0, _MARK), *map(_marks_of, chunks)])
    # Each environment's marks in their order, and with the pool's beginning in front.
    envs = np.unique(marks["env"])
    firsts = np.zeros(len(envs), _MARK)
    firsts["env"], firsts["kind"] = envs, Event.RESET
    marks = np.concatenate([firsts, marks])
    order = np.argsort(marks["env"], kind="stable")
    marks = marks[order]
    ends = np.flatnonzero(marks["kind"] == Event.END)
    ends = ends[np.argsort(order[ends])]  # as they are in the table
    table["begin_call"] = marks["call"][ends - 1]
    return table


def _ends_of(chunk: Chunk) -> NDArray[Any]:
    ends, events = chunk.ends, chunk.events[chunk.is_end]
    table = np.zeros(len(ends), EPISODE)
    for name in ("length", "return"):
        table[name] = ends[name]
    table["env"], table["end_call"], table["time"] = events["env"], events["call"], chunk.time
    table["end"] = np.where(ends["flags"] & _TERMINATED, "terminated", "truncated")
    table["end"][(ends["flags"] & _CONTINUES) != 0] = "life"
    table["end"][(ends["flags"] & _FAILED) != 0] = "failed"
    return table


# Where an episode ends, or one can begin.
_MARK = np.dtype([("env", "i4"), ("call", "i8"), ("kind", "u4")])


def _marks_of(chunk: Chunk) -> NDArray[Any]:
    events = chunk.events
    chosen = np.flatnonzero(np.isin(events["kind"], _MARKS))
    marks = np.zeros(len(chosen), _MARK)
    for name in ("env", "call", "kind"):
        marks[name] = events[name][chosen]
    return marks
