"""Rollouts: runs recorded episodes again, alone or all of a pool together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from envpool.recordings.archive import Archive
from envpool.recordings.chunks import Event
from envpool.recordings.replayer import Ended, Replayer
from envpool.recordings.rollout import EpisodeRollout, make_rollout


def roll_out(
    archive: Archive, row: Any, start: int = 0, *, frames: bool = False, keep: int | None = None
) -> tuple[EpisodeRollout, bytes]:
    """Runs an episode again, from some step on.

    Args:
        archive: The recording.
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
    begin = int(row["begin_call"]) - archive.resets_at_once
    pool, places = archive.source.open([env], frames)
    ended: list[Ended] = []
    state = b""
    try:
        player = Replayer(pool, places, archive.resets_at_once)
        tape = player.tapes[env]
        course = archive.course_to(row)
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
    return make_rollout(archive, run, row, start), state


def roll_out_all(archive: Archive, rows: Sequence[Any]) -> Iterator[tuple[int, EpisodeRollout]]:
    """Runs episodes of a recording again, those of many environments together in one pool.

    Args:
        archive: The recording.
        rows: The episodes' rows in its table, each once, in its order.

    Yields:
        The number of each episode, and its rollout, in the order in which they end.

    Raises:
        RuntimeError: See :func:`roll_out`.
    """
    lost = _lost(archive)
    for envs in _groups(archive, sorted({int(row["env"]) for row in rows})):
        own = [row for row in rows if int(row["env"]) in envs]
        if len(own) == 1 or lost & {*envs}:
            yield from ((int(row["episode"]), roll_out(archive, row)[0]) for row in own)
        else:
            yield from _together(archive, envs, own)


def _lost(archive: Archive) -> set[int]:
    """The environments that are somewhere else than what was recorded leads to."""
    return {
        int(env)
        for chunk in archive.chunks
        for env in chunk.events["env"][chunk.events["kind"] == Event.LOST]
    }


def _groups(archive: Archive, envs: Sequence[int]) -> Iterator[list[int]]:
    """The environments, those together that can be in one pool."""
    source = archive.source
    can_share = not source.is_python and source.most_players == 1
    # No other environment may be in a pool with one that fails.
    table = archive.episodes
    apart = _lost(archive) | set(table["env"][table["end"] == "failed"].tolist())
    together = [env for env in envs if can_share and env not in apart]
    yield from ([env] for env in envs if env not in together)
    for _, group in itertools.groupby(sorted(together, key=source.task_of), source.task_of):
        yield list(group)


def _together(
    archive: Archive, envs: Sequence[int], rows: Sequence[Any]
) -> Iterator[tuple[int, EpisodeRollout]]:
    """Runs environments through all of their episodes."""
    wanted = {int(row["episode"]): row for row in rows}
    pool, places = archive.source.open(envs)
    table = archive.episodes
    numbers = {env: iter(table["episode"][table["env"] == env].tolist()) for env in envs}
    try:
        player = Replayer(pool, places, archive.resets_at_once)
        happenings = archive.happenings(envs, int(rows[-1]["end_call"]))
        for env, run in itertools.chain.from_iterable(map(player.play, happenings)):
            row = wanted.pop(next(numbers[env], -1), None)
            if row is not None:
                yield int(row["episode"]), make_rollout(archive, run, row)
            if not wanted:
                return
    finally:
        pool.close()
    raise RuntimeError(f"episode {min(wanted)} does not end, which it did when it was recorded")
