"""The table of a recording's episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError
from envpool.recordings.chunks import Chunk, Event
from envpool.spec.memory import require_memory

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
_STARTS = (Event.RESET, Event.SEEDED_RESET, Event.STATE, Event.LOST, Event.MADE)
_FAILURES = (Event.FAILURE, Event.WORKER_END)
_SEEDS = (Event.SEEDED_RESET, Event.MADE)
# The arrays that the table is made from count, too.
_BYTES_PER_END = 4 * EPISODE.itemsize


def make_table(
    chunks: Sequence[Chunk], num_envs: int, seed_of: Callable[[int], int]
) -> NDArray[Any]:
    """All episodes that ended, in that order.

    Args:
        chunks: The chunks of the recording.
        num_envs: How many environments there are.
        seed_of: What an environment was seeded with at first.

    Returns:
        An array of :data:`EPISODE`.

    Raises:
        ArgumentError: An episode is of no environment.
        MemoryError: There are too many.
    """
    count = sum(chunk.ends for chunk in chunks)
    require_memory(count * _BYTES_PER_END, f"a table of {count} episodes needs", ["their number"])
    ends = [_ends_of(chunk) for chunk in chunks]
    table = np.concatenate(ends) if ends else np.zeros(0, EPISODE)
    if len(table) and not 0 <= table["env"].min() <= table["env"].max() < num_envs:
        raise ArgumentError(f"an episode is of an environment that is none of {num_envs}")
    table["episode"] = np.arange(len(table))
    starts = [_starts_of(chunk) for chunk in chunks]
    _add_beginnings(table, np.concatenate(starts) if starts else np.zeros(0, _START), seed_of)
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


_START = np.dtype(
    [("env", "i4"), ("call", "i8"), ("kind", "i4"), ("has_seed", "?"), ("seed", "u8")]
)


def _starts_of(chunk: Chunk) -> NDArray[Any]:
    kinds = chunk["event_kinds"]
    chosen = np.isin(kinds, (*_STARTS, *_FAILURES))
    starts = np.zeros(int(chosen.sum()), _START)
    if not len(starts):
        return starts
    starts["env"] = chunk["event_envs"][chosen]
    starts["call"] = chunk["event_calls"][chosen] + chunk.first_call
    starts["kind"] = kinds[chosen]
    sizes = chunk["event_sizes"].astype(np.int64)
    ends = np.cumsum(sizes)[chosen]
    starts["has_seed"] = np.isin(starts["kind"], _SEEDS) & (sizes[chosen] > 0)
    content = chunk["event_bytes"].tobytes()
    for i in np.flatnonzero(starts["has_seed"]):
        starts["seed"][i] = int.from_bytes(content[ends[i] - 8 : ends[i]], "little")
    return starts


def _add_beginnings(
    table: NDArray[Any], events: NDArray[Any], seed_of: Callable[[int], int]
) -> None:
    """Fills in when episodes began, and what their environments were seeded with before."""
    envs = np.unique(table["env"])
    for env in envs.tolist():
        rows = np.flatnonzero(table["env"] == env)
        own = events[events["env"] == env]
        own["seed"][(own["kind"] == Event.MADE) & ~own["has_seed"]] = seed_of(env)
        starts = own[~np.isin(own["kind"], _FAILURES)]
        # An end comes before the starts that were noted after as many calls.
        calls = np.concatenate([[0], table["end_call"][rows[:-1]], starts["call"]])
        order = np.argsort(calls, kind="stable")
        ranks = np.searchsorted(calls[order], table["end_call"][rows], "left") - 1
        table["begin_call"][rows] = calls[order][ranks]
        is_seed = np.concatenate(
            [[True], np.zeros(len(rows) - 1, bool), np.isin(starts["kind"], _SEEDS)]
        )[order]
        first = np.array([seed_of(env)], np.uint64)
        given = np.concatenate([first, np.zeros(len(rows) - 1, np.uint64), starts["seed"]])[order]
        last = np.maximum.accumulate(np.where(is_seed, np.arange(len(order)), 0))[ranks]
        table["seed"][rows] = given[last]
        _add_failed_resets(table, rows[table["end"][rows] == "failed"], own, first[0])


def _add_failed_resets(
    table: NDArray[Any], rows: NDArray[np.int64], events: NDArray[Any], first_seed: np.uint64
) -> None:
    """The same for those that ended where they began: only the events' order tells which.

    Args:
        table: The table.
        rows: Those of an environment's failures.
        events: The environment's starts and failures.
        first_seed: What the environment was seeded with at first.
    """
    kinds = events["kind"]
    has_failed = np.isin(kinds, _FAILURES)
    failures = np.flatnonzero(has_failed)
    if len(failures) != len(rows):
        raise ArgumentError(f"{len(rows)} episodes failed, and there are {len(failures)} failures")
    places = np.arange(len(events))
    started = np.maximum.accumulate(np.where(has_failed, -1, places))[failures]
    seeded = np.maximum.accumulate(np.where(np.isin(kinds, _SEEDS), places, -1))[failures]
    at_once = (started >= 0) & (events["call"][started] == table["end_call"][rows])
    table["begin_call"][rows[at_once]] = table["end_call"][rows[at_once]]
    seeds = np.where(seeded >= 0, events["seed"][seeded], first_seed)
    table["seed"][rows[at_once]] = seeds[at_once]
