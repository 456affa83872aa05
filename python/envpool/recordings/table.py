"""The table of a recording's episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.recordings.chunks import Chunk, Event
from envpool.recordings.timeline import Happening

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
# Episodes begin after these, and after the end of another; or it was said what one begins with.
_MARKS = (Event.RESET, Event.SEEDED_RESET, Event.STATE, Event.LOST, Event.END, Event.NEXT)


def make_table(
    chunks: Sequence[Chunk], seed_of: Callable[[int], int], resets_at_once: bool
) -> NDArray[Any]:
    """All episodes that ended, in that order.

    Args:
        chunks: The chunks of the recording.
        seed_of: What an environment was seeded with at first.
        resets_at_once: True if the step that ended an episode began the next one, too.

    Returns:
        An array of :data:`EPISODE`.
    """
    table = np.concatenate([np.zeros(0, EPISODE), *map(_ends_of, chunks)])
    table["episode"] = np.arange(len(table))
    marks = np.concatenate([np.zeros(0, _MARK), *map(_marks_of, chunks)])
    # Each environment's marks in their order, and with its first seed in front.
    envs = np.unique(marks["env"])
    firsts = np.zeros(len(envs), _MARK)
    firsts["env"], firsts["kind"] = envs, Event.SEEDED_RESET
    firsts["seed"] = [seed_of(env) for env in envs.tolist()]
    marks = np.concatenate([firsts, marks])
    order = np.argsort(marks["env"], kind="stable")
    places = _places(marks := marks[order], resets_at_once)
    marks, order = marks[places], order[places]
    seeded = np.where(marks["kind"] == Event.SEEDED_RESET, np.arange(len(marks)), 0)
    marks["seed"] = marks["seed"][np.maximum.accumulate(seeded)]
    ends = np.flatnonzero(marks["kind"] == Event.END)
    ends = ends[np.argsort(order[ends])]  # as they are in the table
    table["begin_call"], table["seed"] = marks["call"][ends - 1], marks["seed"][ends]
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
_MARK = np.dtype([("env", "i4"), ("call", "i8"), ("kind", "u4"), ("seed", "u8"), ("has_seed", "?")])


def _marks_of(chunk: Chunk) -> NDArray[Any]:
    events = chunk.events
    chosen = np.flatnonzero(np.isin(events["kind"], _MARKS))
    marks = np.zeros(len(chosen), _MARK)
    for name in ("env", "call", "kind"):
        marks[name] = events[name][chosen]
    seeded = np.flatnonzero(np.isin(marks["kind"], (Event.SEEDED_RESET, Event.NEXT)))
    for i, content in zip(seeded, chunk.contents_of(chosen[seeded]), strict=True):
        happening = Happening(0, 0, Event(marks["kind"][i]), content)
        is_next = happening.event == Event.NEXT
        seed = (happening.next_episode or (None,))[0] if is_next else happening.seed
        marks["seed"][i], marks["has_seed"][i] = seed or 0, seed is not None
    return marks


def _places(marks: NDArray[Any], resets_at_once: bool) -> NDArray[np.int64]:
    """The order in which a seed that was said of a next episode stands where that has begun.

    Args:
        marks: Those of each environment, the first of which is its first seed. Such seeds become
            those of resets.
        resets_at_once: True if the step that ended an episode began the next one, too.
    """
    is_next = marks["kind"] == Event.NEXT
    if not is_next.any():
        return np.arange(len(marks))
    places: list[int] = []
    chosen: int | None = None
    for i, mark in enumerate(marks):
        if is_next[i]:
            chosen = i if mark["has_seed"] else None
            last = marks[places[-1]]
            is_between = last["kind"] == Event.END and last["call"] == mark["call"]
            begins_here = is_between and not resets_at_once
        else:
            chosen = chosen if places and mark["env"] == marks[places[-1]]["env"] else None
            places.append(i)
            begins_here = mark["kind"] in (Event.RESET, Event.END)
        if chosen is not None and begins_here:
            marks["kind"][chosen] = Event.SEEDED_RESET
            marks["call"][chosen] = marks["call"][places[-1]]
            places.append(chosen)
            chosen = None
    return np.array(places)
