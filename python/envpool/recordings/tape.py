"""Tape: the rows of an environment's results, from which episodes are cut."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool.spec.fields import map_leaves


class Row(NamedTuple):
    """What one environment's reset or step returned: arrays of length 1, or one entry per player.

    Attributes:
        observation: The observation.
        info: The infos.
        step: Reward, terminated, truncated and the fields of the action; nothing for a reset.
        frame: A picture, if it is drawn.
    """

    observation: Any
    info: dict[str, Any]
    step: tuple[NDArray[Any], ...] = ()
    frame: NDArray[np.uint8] | None = None

    def of(self, index: int) -> Row:
        """A copy of the row with this index, where there are rows of several environments."""
        parts = (self.observation, self.info, self.step)
        return Row(*map_leaves(lambda rows: rows[index : index + 1].copy(), parts))


@dataclasses.dataclass
class Run:
    """The rows of one episode.

    Attributes:
        rows: The rows, one after the other.
        is_whole: True if the episode begins with the first one.
        start: How many steps the episode had before the first one, if a state was set there.
        failure: What the environment's exception said, if it has failed after these.
        failed_action: The fields of the action with which it did; nothing if it was a reset.
    """

    rows: list[Row] = dataclasses.field(default_factory=list)
    is_whole: bool = False
    start: int = 0
    failure: str = ""
    failed_action: tuple[NDArray[Any], ...] = ()


class Tape:
    """The rows of an environment since its episode's beginning.

    Attributes:
        is_over: True if the next step begins an episode; None: nobody knows.
    """

    def __init__(self) -> None:
        self.is_over: bool | None = True
        self._run = Run()

    @property
    def step(self) -> int:
        """After how many steps of the episode the environment is; -1 if there is none."""
        return -1 if self.is_over else self._run.start + len(self._run.rows) - 1

    def begin(self, row: Row) -> None:
        """Begins with what a reset has come to."""
        self.is_over, self._run = False, Run([row], is_whole=True)

    def move(self, row: Row) -> None:
        """Begins with what the environment shows in a state that was set."""
        self.is_over, self._run = None, Run([row], start=int(row.info["elapsed_step"][0]))

    def add(self, row: Row) -> None:
        """Adds what a step has come to."""
        if self.is_over is None:  # but for the next of several lives, which no state tells
            self.is_over = bool(row.info["elapsed_step"][0] == 0)
        if self.is_over:
            self.begin(row)
        else:
            self._run.rows.append(row)
        _, terminated, truncated, *_ = row.step
        self.is_over = bool(terminated[0] | truncated[0])

    def fail(self, failure: str, action: tuple[NDArray[Any], ...]) -> Run:
        """Ends the episode, or the reset that would have begun one, with a failure."""
        if self.is_over:
            self._run, action = Run(), ()
        self.is_over = True
        self._run.failure, self._run.failed_action = failure, action
        return self.take()

    def take(self) -> Run:
        """The rows that there are, which it forgets."""
        run, self._run = self._run, Run()
        return run


def joined(parts: Sequence[Any], has_players: bool) -> Any:
    """What all rows have, one after the other, in the dicts and tuples of one.

    A reset has fewer infos than a step. What only some infos have, as their masks tell, all have.

    Args:
        parts: What each row has.
        has_players: True if there can be several players: then the results are lists with an array
            for each row.
    """
    if not parts:
        return np.zeros(0)
    if isinstance(parts[0], dict):
        names = dict.fromkeys(name for part in parts for name in part)
        return {name: joined(_filled(name, parts), has_players) for name in names}
    if isinstance(parts[0], tuple):
        return tuple(joined(part, has_players) for part in zip(*parts, strict=True))
    return list(parts) if has_players else np.concatenate(parts)


def _filled(name: str, infos: Sequence[dict[str, Any]]) -> list[Any]:
    """An info of those that have it; where that only some have it is told by a mask, of all."""
    having = [info for info in infos if name in info]
    if not name.startswith("_") and not any(f"_{name}" in info for info in having):
        return [info[name] for info in having]
    none = _nothing(having[0][name])
    return [info.get(name, none) for info in infos]


def _nothing(like: Any) -> Any:
    """An info where there is none."""
    if isinstance(like, dict):
        return {}
    return np.full_like(like[:1], None if like.dtype == object else 0)
