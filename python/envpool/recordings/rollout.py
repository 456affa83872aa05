"""EpisodeRollout: what an episode's environment returned."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError
from envpool.recordings.archive import Archive
from envpool.recordings.tape import Run, joined

_NOT_DETERMINISTIC = (
    ". Its environment is not deterministic, then, or is made otherwise here: only seeds, options "
    "and actions may decide what it does"
)


@dataclasses.dataclass(frozen=True)
class EpisodeRollout:
    """An episode of ``n`` steps, or the end of one, in EnvPool's dialect of Gymnasium's API.

    If a task has several players, whose number may change, lists replace the first axis of arrays.

    Attributes:
        start: The first step that it has; that of the state if it began with ``set_state``.
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


def make_rollout(recording: Archive, run: Run, row: Any, start: int = 0) -> EpisodeRollout:
    """The rollout of an episode.

    Args:
        recording: The recording.
        run: Its rows.
        row: Its row in the table.
        start: The step with which the rollout begins.

    Raises:
        ArgumentError: The episode has fewer steps.
        RuntimeError: It does not end as it did when it was recorded.
    """
    _check(recording, row, run)
    # The first row is a reset's, of a step that resets, or of a state: its reward is none.
    steps = [each.step for each in run.rows[1:]]
    last = run.start + len(steps)
    if start > last:
        raise ArgumentError(f"start is {start}, and the episode has {last} steps")
    start = max(start, run.start)
    first = start - run.start
    rows = run.rows[first:]
    has_players = recording.source.most_players > 1
    infos = joined([each.info for each in rows], has_players) if rows else {}
    if not has_players:
        _name_environment_0(infos)
    frames = [each.frame for each in rows if each.frame is not None]
    rewards, terminated, truncated, actions = _columns(recording, steps[first:], has_players)
    return EpisodeRollout(
        start=start,
        observations=joined([each.observation for each in rows], has_players),
        actions=actions[0] if len(actions) == 1 else actions,
        rewards=rewards,
        terminated=terminated,
        truncated=truncated,
        infos=infos,
        frames=np.concatenate(frames) if frames else None,
        failure=run.failure,
        failed_action=_failed_action(run.failed_action),
    )


def _columns(
    recording: Archive, steps: Sequence[tuple[NDArray[Any], ...]], has_players: bool
) -> tuple[Any, Any, Any, Any]:
    """Rewards, terminated, truncated and the fields of the actions of all steps."""
    if not steps:
        fields = recording.source.action_fields
        none = tuple(np.zeros((0, *field["shape"]), field["dtype"]) for field in fields)
        return np.zeros(0, recording.reward_dtype), *np.zeros((2, 0), bool), none
    rewards, terminated, truncated, *actions = zip(*steps, strict=True)
    return (
        joined([reward.astype(recording.reward_dtype) for reward in rewards], has_players),
        np.concatenate(terminated),
        np.concatenate(truncated),
        tuple(joined(field, has_players) for field in actions),
    )


def _check(recording: Archive, row: Any, run: Run) -> None:
    ended = "not over"
    if run.rows and run.rows[-1].step:
        _, terminated, truncated, *_ = run.rows[-1].step
        ended = "terminated" if terminated[0] else "truncated" if truncated[0] else ended
    ended = "failed" if run.failure else ended
    expected = ("terminated", "truncated") if row["end"] == "life" else (row["end"],)
    rewards = [each.step[0] for each in run.rows[1:]]
    # In games of several lives, length and return are the game's.
    more = int(row["length"]) - len(rewards)
    # Environments in Python may fail after a step, which counts, by what they observe.
    has_length = more in (0, bool(run.failure)) if recording.source.is_python else more >= 0
    # In the order in which the native pool adds them.
    total = float(np.cumsum(np.concatenate([np.zeros(1), *rewards]))[-1])
    # In other cases, the recorded return has earlier rewards, too.
    if not run.is_whole or more:
        total = float(row["return"])
    if ended in expected and has_length and (total == row["return"] or np.isnan(total)):
        return
    raise RuntimeError(
        f"episode {row['episode']} does not end as it did when it was recorded: {ended} after "
        f"{len(rewards)} steps with a return of {total!r}, expected {row['end']} after "
        f"{row['length']} with {float(row['return'])!r}"
        + (_NOT_DETERMINISTIC if recording.source.is_python else "")
    )


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
