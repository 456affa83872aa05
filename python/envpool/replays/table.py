"""The table of a recording's episodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.replays.chunks import Chunk
from envpool.replays.timeline import Event

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
# What an episode begins after, beside the end of another.
_STARTS = (Event.RESET, Event.SEEDED_RESET, Event.STATE, Event.LOST)


def make_table(chunks: Sequence[Chunk], seeds: Sequence[int]) -> NDArray[Any]:
    """All episodes that ended, in that order.

    Args:
        chunks: The chunks of the recording.
        seeds: What each environment was seeded with at first.

    Returns:
        An array of :data:`EPISODE`.
    """
    ends = [_ends_of(chunk) for chunk in chunks]
    table = np.concatenate(ends) if ends else np.zeros(0, EPISODE)
    table["episode"] = np.arange(len(table))
    starts = [_starts_of(chunk) for chunk in chunks]
    _add_beginnings(table, np.concatenate(starts) if starts else np.zeros(0, _START), seeds)
    return table


def _ends_of(chunk: Chunk) -> NDArray[Any]:
    table = np.zeros(len(chunk["end_envs"]), EPISODE)
    flags = chunk["end_flags"]
    table["env"], table["length"] = chunk["end_envs"], chunk["end_lengths"]
    table["return"] = chunk["end_returns"]
    table["end_call"] = chunk["end_calls"] + chunk.first_call
    table["time"] = chunk.time
    table["end"] = np.where(flags & _TERMINATED, "terminated", "truncated")
    table["end"][(flags & _CONTINUES) != 0] = "life"
    table["end"][(flags & _FAILED) != 0] = "failed"
    return table


_START = np.dtype([("env", "i4"), ("call", "i8"), ("kind", "i4"), ("seed", "u8")])


def _starts_of(chunk: Chunk) -> NDArray[Any]:
    kinds = chunk["event_kinds"]
    chosen = np.isin(kinds, _STARTS)
    starts = np.zeros(int(chosen.sum()), _START)
    if not len(starts):
        return starts
    starts["env"] = chunk["event_envs"][chosen]
    starts["call"] = chunk["event_calls"][chosen] + chunk.first_call
    starts["kind"] = kinds[chosen]
    ends = np.cumsum(chunk["event_sizes"].astype(np.int64))[chosen]
    content = chunk["event_bytes"].tobytes()
    for i in np.flatnonzero(starts["kind"] == Event.SEEDED_RESET):
        starts["seed"][i] = int.from_bytes(content[ends[i] - 8 : ends[i]], "little")
    return starts


def _add_beginnings(table: NDArray[Any], starts: NDArray[Any], seeds: Sequence[int]) -> None:
    """Fills in when episodes began, and what their environments were seeded with before."""
    envs = np.unique(table["env"])
    for env in envs.tolist():
        rows = np.flatnonzero(table["env"] == env)
        own = starts[starts["env"] == env]
        # An end comes before the starts that were noted after as many calls.
        calls = np.concatenate([[0], table["end_call"][rows[:-1]], own["call"]])
        order = np.argsort(calls, kind="stable")
        ranks = np.searchsorted(calls[order], table["end_call"][rows], "left") - 1
        table["begin_call"][rows] = calls[order][ranks]
        is_seed = np.concatenate(
            [[True], np.zeros(len(rows) - 1, bool), own["kind"] == Event.SEEDED_RESET]
        )[order]
        given = np.concatenate(
            [[seeds[env]], np.zeros(len(rows) - 1, np.uint64), own["seed"]]
        ).astype(np.uint64)[order]
        last = np.maximum.accumulate(np.where(is_seed, np.arange(len(order)), 0))[ranks]
        table["seed"][rows] = given[last]
