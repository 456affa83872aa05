"""Pieces: rows of an environment one after the other, and the tape that episodes are cut from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from envpool.spec.fields import map_leaves


@dataclasses.dataclass
class Piece:
    """The results of some resets and steps.

    Attributes:
        rows: How many there are.
        observations: Arrays with a row for each, in dicts and tuples. If there can be several
            players, lists with an array for each.
        infos: Likewise.
        steps: The rewards, bools of the ends (terminated, truncated) and the fields of the actions;
            nothing for a reset.
        is_whole: True if an episode begins with it.
        failure: What the environment's exception said, if it has failed after these.
        failed_action: The fields of the action with which it did; nothing if it was a reset.
    """

    rows: int
    observations: Any
    infos: Any
    steps: list[Any]
    is_whole: bool = False
    failure: str = ""
    failed_action: tuple[Any, ...] = ()

    def at(self, index: Any, rows: int) -> Piece:
        """So many of the rows."""
        observations, infos = map_leaves(lambda part: part[index], (self.observations, self.infos))
        return Piece(rows, observations, infos, [part[index] for part in self.steps])

    def between(self, start: int, stop: int) -> Piece:
        """The rows from one on, up to another."""
        return self.at(slice(start, stop), stop - start)


def joined(pieces: Sequence[Piece], has_players: bool) -> Piece:
    """A new piece with the rows of all.

    Args:
        pieces: The pieces. Without any, there are no rows.
        has_players: True if there can be several players.
    """
    counts = [piece.rows for piece in pieces]
    steps = list(zip(*(piece.steps for piece in pieces if piece.steps), strict=True))
    reward, ends, actions = steps[:1], steps[1:3], steps[3:]
    return Piece(
        sum(counts),
        _chained([piece.observations for piece in pieces], counts, has_players),
        _chained([piece.infos for piece in pieces], counts, has_players) if pieces else {},
        [
            *(_chained(parts, counts, has_players) for parts in reward),
            *(np.concatenate(parts) for parts in ends),
            *(_chained(parts, counts, has_players) for parts in actions),
        ],
        bool(pieces) and pieces[0].is_whole,
    )


def _chained(parts: Sequence[Any], counts: Sequence[int], has_players: bool) -> Any:
    """Arrays with the rows of all, or lists of them.

    A reset has fewer infos than a step. What only some infos have, as their masks tell, all have.
    """
    if not parts:
        return np.zeros(0)
    first = parts[0]
    if isinstance(first, dict):
        names = dict.fromkeys(name for part in parts for name in part)
        return {name: _chained_info(name, parts, counts, has_players) for name in names}
    if isinstance(first, tuple):
        return tuple(_chained(part, counts, has_players) for part in zip(*parts, strict=True))
    if has_players:
        return [row for part in parts for row in (part if isinstance(part, list) else [part])]
    return np.concatenate(parts)


def _chained_info(name: str, infos: Sequence[Any], counts: Sequence[int], has_players: bool) -> Any:
    having = [info for info in infos if name in info]
    has_mask = any(f"_{name}" in info for info in having)
    if has_mask or name.startswith("_"):
        parts = [
            info[name] if name in info else _nothing(having[0][name], count, has_players)
            for info, count in zip(infos, counts, strict=True)
        ]
        return _chained(parts, counts, has_players)
    own = [count for info, count in zip(infos, counts, strict=True) if name in info]
    return _chained([info[name] for info in having], own, has_players)


def _nothing(like: Any, count: int, has_players: bool) -> Any:
    """So many rows of an info where there is none."""
    if isinstance(like, dict):
        return {}
    row = like[0] if isinstance(like, list) else like[:1]
    none = np.full_like(row, None if row.dtype == object else 0)
    return [none] * count if has_players else np.repeat(none, count, axis=0)


class Tape:
    """The rows of an environment since its episode's beginning.

    Args:
        has_players: True if there can be several players.

    Attributes:
        is_over: True if the next step begins an episode; None: nobody knows.
    """

    def __init__(self, has_players: bool) -> None:
        self.is_over: bool | None = True
        self._has_players = has_players
        self._pieces: list[Piece] = []

    def begin(self, piece: Piece) -> None:
        """Begins with what a reset has come to, or with a look into an episode."""
        self.is_over, self._pieces = False, [piece]

    def clear(self) -> None:
        """Forgets the rows, because the environment is elsewhere."""
        self.is_over, self._pieces = None, []

    def add(self, piece: Piece) -> Iterator[Piece]:
        """Adds the results of the next steps; yields the episodes that end."""
        _, terminated, truncated, *_ = piece.steps
        over = terminated | truncated
        if self.is_over is None:  # but for the next of several lives, which no state tells
            self.is_over = bool(piece.infos["elapsed_step"][0] == 0)
        begins = [self.is_over, *over[:-1].tolist()]
        self.is_over = bool(over[-1])
        start = 0
        for stop in [*(np.flatnonzero(over) + 1).tolist(), piece.rows]:
            if stop == start:
                break
            own = piece.between(start, stop)
            own.is_whole = begins[start]
            self._pieces = [own] if own.is_whole else [*self._pieces, own]
            if over[stop - 1]:
                yield self.take()
            start = stop
        # Without the rows of other environments in memory.
        self._pieces[-1:] = [joined([last], self._has_players) for last in self._pieces[-1:]]

    def fail(self, failure: str, action: tuple[Any, ...]) -> Piece:
        """Ends the episode, or the reset that would have begun one, with a failure."""
        if self.is_over:
            self._pieces, action = [], ()
        self.is_over = True
        return dataclasses.replace(self.take(), failure=failure, failed_action=action)

    def take(self) -> Piece:
        """The rows that there are, which it forgets."""
        pieces, self._pieces = self._pieces, []
        return joined(pieces, self._has_players)
