"""Rollouts: runs recorded episodes again, alone or all of a pool together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from envpool.recordings.archive import Archive
from envpool.recordings.chunks import Event
from envpool.recordings.replayer import Ended, Replayer
from envpool.recordings.rollout import EpisodeRollout, make_rollout
from envpool.recordings.tape import Run
from envpool.recordings.timeline import Happening


def roll_out(
    recording: Archive, row: Any, start: int = 0, *, frames: bool = False, keep: int | None = None
) -> tuple[EpisodeRollout, bytes]:
    """Runs an episode again, from some step on.

    Args:
        recording: The recording.
        row: The episode's row in its table.
        start: The step.
        frames: True if it is drawn.
        keep: A step after which the environment's state is wanted.

    Returns:
        The rollout, and the state; empty if it is not asked for, or the episode was over by then.

    Raises:
        ArgumentError: The episode is shorter than ``start``.
        RuntimeError: It does not end as it did when it was recorded, or something that led to it
            was not recorded.
    """
    env = int(row["env"])
    before = int((recording.episodes["env"][: row["episode"]] == env).sum())
    begin = int(row["begin_call"]) - recording.resets_at_once
    pool, places = recording.source.open([env], frames)
    ended: list[Ended] = []
    state = b""
    try:
        player = Replayer(pool, places, recording.resets_at_once)
        tape = player.tapes[env]
        course = recording.timeline.course_of(row, before)
        for item in course:
            player.draws = frames and item.call >= begin and tape.step + 1 >= start
            ended = player.play(item) or ended
            if item is course[-1]:
                continue
            if item.call >= begin and tape.step == keep:
                state = pool.get_state()[0]
            elif tape.step == 0:  # it was another episode's
                state = b""
        run = ended[-1][1] if ended else tape.take()
    finally:
        pool.close()
    return make_rollout(recording, run, row, start), state


def roll_out_all(recording: Archive, rows: Sequence[Any]) -> Iterator[tuple[int, EpisodeRollout]]:
    """Runs episodes of a recording again, those of many environments together in one pool.

    Args:
        recording: The recording.
        rows: The episodes' rows in its table, each once, in its order.

    Yields:
        The number of each episode, and its rollout, in the order in which they end.

    Raises:
        RuntimeError: See :func:`roll_out`.
    """
    source, table, lost = recording.source, recording.episodes, recording.timeline.lost()
    envs = sorted({int(row["env"]) for row in rows})
    # No other environment may be in a pool with one that fails.
    apart = lost | set(table["env"][table["end"] == "failed"].tolist())
    if source.is_python or source.most_players > 1:
        apart.update(envs)
    groups = [[env] for env in envs if env in apart]
    together = sorted((env for env in envs if env not in apart), key=source.task_of)
    groups += [list(group) for _, group in itertools.groupby(together, source.task_of)]
    for group in groups:
        own = [row for row in rows if int(row["env"]) in group]
        if len(own) == 1 or lost & {*group}:
            yield from ((int(row["episode"]), roll_out(recording, row)[0]) for row in own)
        else:
            yield from _together(recording, group, own)


def _together(
    recording: Archive, envs: Sequence[int], rows: Sequence[Any]
) -> Iterator[tuple[int, EpisodeRollout]]:
    """Runs environments through all of their episodes.

    Which end is whose is told by the recording's ends, of which there is one for each row of its
    table: a step that was in flight when the pool was closed may end an episode here, though nobody
    received that.
    """
    wanted = {int(row["episode"]): row for row in rows}
    pool, places = recording.source.open(envs)
    table = recording.episodes
    numbers = {env: iter(table["episode"][table["env"] == env].tolist()) for env in envs}
    ended: dict[int, Run] = {}
    try:
        player = Replayer(pool, places, recording.resets_at_once)
        for item in recording.timeline.until(int(rows[-1]["end_call"]), envs):
            ended |= player.play(item)
            if not isinstance(item, Happening) or item.event != Event.END:
                continue
            run = ended.pop(item.env, None) or player.tapes[item.env].take()
            number = next(numbers[item.env])
            if number in wanted:
                yield number, make_rollout(recording, run, wanted.pop(number))
    finally:
        pool.close()
