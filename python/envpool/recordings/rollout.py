"""Rollout: what an episode's environment returned."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.recordings.pieces import Piece
from envpool.recordings.replayer import FRAME
from envpool.spec.fields import Field, map_leaves

_NOT_DETERMINISTIC = (
    ". Its environment is not deterministic, then, or is made otherwise here: only seeds, options "
    "and actions may decide what it does"
)


@dataclasses.dataclass(frozen=True)
class Rollout:
    """An episode of ``n`` steps, or the end of one, in EnvPool's dialect of Gymnasium's API.

    If a task has several players, whose number may change, lists replace the first axis of arrays.

    Attributes:
        start: The first step that it has.
        observations: ``n + 1`` of them: arrays of shape ``(n + 1, *shape)``, in (nested) dicts or
            tuples if the observation space is one.
        actions: An array of shape ``(n, *shape)``, or a tuple of several, as they were sent.
        rewards: An array of shape ``(n,)``.
        terminated: bools of shape ``(n,)``.
        truncated: bools of shape ``(n,)``.
        infos: ``n + 1`` of them, as (nested) dicts of arrays.
        frames: If it was drawn, ``n + 1`` images, uint8 of shape ``(n + 1, height, width, 3)``.
        failure: The exception's message, if the environment failed at the end.
        failed_action: The action with which it failed, an array or several as in ``actions``.
    """

    start: int
    observations: Any
    actions: Any
    rewards: Any
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    infos: Any
    frames: NDArray[np.uint8] | None = None
    failure: str = ""
    failed_action: Any = None

    def __len__(self) -> int:
        return len(self.terminated)


@dataclasses.dataclass(frozen=True)
class RolloutMaker:
    """Makes rollouts of a recording's episodes.

    Attributes:
        reward_dtype: The type of the recorded rewards.
        fields: The action's arrays.
        has_players: True if there can be several players.
        is_python: True if the environments are written in Python.
    """

    reward_dtype: str
    fields: Sequence[Field]
    has_players: bool
    is_python: bool

    def make(self, piece: Piece, row: Any, first: int = 0, start: int = 0) -> Rollout:
        """The rollout of an episode.

        Args:
            piece: Its rows.
            row: Its row in the table.
            first: The step that the first of its rows is of.
            start: The step with which the rollout begins.

        Raises:
            RuntimeError: It does not end as it did when it was recorded.
        """
        # A reset has no rewards; but the step that resets has one, which is none.
        rewards, terminated, truncated, *actions = [
            part[len(piece.steps[1]) + 1 - piece.rows :] for part in piece.steps
        ] or [[], *np.zeros((2, 0), bool)]
        self._check(row, piece, first, rewards)
        skipped = start - first
        infos = dict(piece.infos)
        frames = infos.pop(FRAME, None)
        if frames is not None:
            frames = np.concatenate(frames) if self.has_players else frames
            frames = frames[skipped - piece.rows :]  # the first rows may have none
        observations, infos = map_leaves(lambda part: part[skipped:], (piece.observations, infos))
        infos = _without_empty(infos)
        if not self.has_players:
            _name_environment_0(infos)
            rewards = np.asarray(rewards).astype(self.reward_dtype)
        else:
            rewards = [reward.astype(self.reward_dtype) for reward in rewards]
        is_empty = len(terminated) <= skipped
        given = tuple(
            np.zeros((0, *field["shape"]), field["dtype"]) if is_empty else action[skipped:]
            for action, field in zip(actions or self.fields, self.fields, strict=True)
        )
        return Rollout(
            start=start,
            observations=observations,
            actions=given[0] if len(given) == 1 else given,
            rewards=np.zeros(0, self.reward_dtype) if is_empty else rewards[skipped:],
            terminated=terminated[skipped:],
            truncated=truncated[skipped:],
            infos=infos,
            frames=frames,
            failure=piece.failure,
            failed_action=_failed_action(piece.failed_action),
        )

    def _check(self, row: Any, piece: Piece, first: int, rewards: Sequence[Any]) -> None:
        ended = "not over"
        for name, ends in zip(("truncated", "terminated"), piece.steps[2:0:-1], strict=False):
            ended = name if ends[-1] else ended
        ended = "failed" if piece.failure else ended
        expected = ("terminated", "truncated") if row["end"] == "life" else (row["end"],)
        count = first + len(rewards)
        # In games of several lives, length and return are the game's.
        more = int(row["length"]) - count
        # Environments in Python may fail after a step, which counts, by what they observe.
        has_length = more in (0, bool(piece.failure)) if self.is_python else more >= 0
        # In the order in which the native pool adds them.
        total = float(np.cumsum(np.concatenate([np.zeros(1), *map(np.atleast_1d, rewards)]))[-1])
        # In other cases, the recorded return has earlier rewards, too.
        if first or not piece.is_whole or more:
            total = float(row["return"])
        if ended in expected and has_length and (total == row["return"] or np.isnan(total)):
            return
        raise RuntimeError(
            f"episode {row['episode']} does not end as it did when it was recorded: {ended} after "
            f"{count} steps with a return of {total!r}, expected {row['end']} after "
            f"{row['length']} with {float(row['return'])!r}"
            + (_NOT_DETERMINISTIC if self.is_python else "")
        )


def _without_empty(infos: dict[str, Any]) -> dict[str, Any]:
    """The infos without those that no row has, as their masks tell; those with masks come last."""
    masks = {name: f"_{name}" for name in sorted(infos) if f"_{name}" in infos}
    result = {name: infos[name] for name in infos if name not in {*masks, *masks.values()}}
    for name, mask in masks.items():
        if any(np.any(has_it) for has_it in infos[mask]):
            result[name], result[mask] = infos[name], infos[mask]
    return {
        name: _without_empty(value) if isinstance(value, dict) else value
        for name, value in result.items()
    }


def _name_environment_0(infos: dict[str, Any]) -> None:
    """Names the environment as a pool of one does."""
    for owners in (infos, infos.get("players", {})):
        if "env_id" in owners:
            owners["env_id"][:] = 0


def _failed_action(fields: tuple[Any, ...]) -> Any:
    if not fields:
        return None
    action = tuple(field[0] if len(field) == 1 else field for field in fields)
    return action[0] if len(action) == 1 else action
