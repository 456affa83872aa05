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
# Episodes begin after these, and after the end of another.
_MARKS = (Event.RESET, Event.SEEDED_RESET, Event.STATE, Event.LOST, Event.END)
# What else says with which seed.
_CHOICES = (Event.RESET_OPTIONS, Event.NEXT)


def make_table(chunks: Sequence[Chunk], seed_of: Callable[[int], int], mode: str) -> NDArray[Any]:
    """All episodes that ended, in that order.

    Args:
        chunks: The chunks of the recording.
        seed_of: What an environment was seeded with at first.
        mode: The auto-reset mode.

    Returns:
        An array of :data:`EPISODE`.
    """
    table = np.concatenate([np.zeros(0, EPISODE), *map(_ends_of, chunks)])
    table["episode"] = np.arange(len(table))
    has_choices = any((chunk.events["kind"] == Event.NEXT).any() for chunk in chunks)
    kinds = (*_MARKS, *_CHOICES) if has_choices else _MARKS
    marks = np.concatenate([np.zeros(0, _MARK), *(_marks_of(chunk, kinds) for chunk in chunks)])
    # Each environment's marks in their order, and with its first seed in front.
    envs = np.unique(marks["env"])
    firsts = np.zeros(len(envs), _MARK)
    firsts["env"], firsts["kind"] = envs, Event.SEEDED_RESET
    firsts["seed"] = [seed_of(env) for env in envs.tolist()]
    marks = np.concatenate([firsts, marks])
    order = np.argsort(marks["env"], kind="stable")
    places = _places(marks := marks[order], mode, _Steps(chunks))
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


def _marks_of(chunk: Chunk, kinds: Sequence[Event]) -> NDArray[Any]:
    events = chunk.events
    chosen = np.flatnonzero(np.isin(events["kind"], kinds))
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


class _Steps:
    """The calls that stepped an environment, for questions about a few."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks

    def any(self, env: int, begin: int, end: int) -> bool:
        """True if one of the calls from ``begin`` to ``end`` (exclusive) stepped it."""
        for chunk in self._chunks:
            first, last = max(0, begin - chunk.first_call), end - chunk.first_call
            rows = chunk.rows[first : max(first, last)]
            if (rows == 0).any():
                return True  # all environments
            start = int(chunk.rows[:first].sum())
            if env in chunk.ids[start : start + int(rows.sum())]:
                return True
        return False


def _places(marks: NDArray[Any], mode: str, steps: _Steps) -> NDArray[np.int64]:
    """The order in which the seed of a chosen episode stands where that has begun.

    Args:
        marks: Those of each environment, the first of which is its first seed. The seeds of chosen
            episodes that have begun become those of resets; the others are left out.
        mode: The auto-reset mode.
        steps: Those of the recording.
    """
    is_next = marks["kind"] == Event.NEXT
    if not is_next.any():
        return np.arange(len(marks))
    places: list[int] = []
    chosen: int | None = None
    is_over = is_given = False

    def begin() -> None:
        nonlocal chosen
        if chosen is not None:
            marks["kind"][chosen] = Event.SEEDED_RESET
            marks["call"][chosen] = marks["call"][places[-1]]
            places.append(chosen)
        chosen = None

    for i, mark in enumerate(marks):
        kind, last = mark["kind"], marks[places[-1]] if places else mark
        if mark["env"] != last["env"]:
            chosen, is_over = None, False
        elif is_over and steps.any(mark["env"], last["call"], mark["call"]):
            begin()  # in a step since then
            is_over = False
        if kind == Event.RESET_OPTIONS:
            is_given = True
        elif is_next[i]:
            chosen = i if mark["has_seed"] else None
        else:
            places.append(i)
            if kind == Event.SEEDED_RESET or (kind == Event.RESET and is_given):
                chosen = None
            elif kind == Event.RESET or (kind == Event.END and mode == "SameStep"):
                begin()
            is_over = kind == Event.END and mode == "NextStep"
            is_given = False
    return np.array(places)
