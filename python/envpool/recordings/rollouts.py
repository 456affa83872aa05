"""Rollouts of many episodes at once, each environment running through all of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import rich.progress
from numpy.typing import NDArray
from rich.console import Console

from envpool.recordings.chunks import Event
from envpool.recordings.lanes import Lane, Piece, Track, read_tracks, run_lanes
from envpool.recordings.player import Player, Row
from envpool.recordings.rollout import Rollout
from envpool.recordings.sources import NativeSource
from envpool.recordings.timeline import Happening, Tape
from envpool.spec.fields import count_rows

if TYPE_CHECKING:
    from envpool.recordings.episode import Episode
    from envpool.recordings.recording import Recording

T = TypeVar("T")

# What no player goes on after.
_GAPS = (Event.LOST, Event.WORKER_END, Event.MADE)
_NOT_DETERMINISTIC = (
    ". Its environment is not deterministic, then, or is made otherwise here: only seeds, options "
    "and actions may decide what it does"
)


def track(items: Iterable[T], total: int, is_shown: bool) -> Iterable[T]:
    """The same items, with a bar on a terminal that is asked for one."""
    if not is_shown:
        return items
    console = Console(stderr=True)
    return rich.progress.track(
        items,
        "episodes",
        total,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def rollouts_of(episodes: Sequence[Episode]) -> Iterator[Rollout]:
    """The rollout of each episode, of which a recording's are run together."""
    left = Counter(episode._key for episode in episodes)
    of_each: dict[int, list[Episode]] = {}
    for episode in {episode._key: episode for episode in episodes}.values():
        of_each.setdefault(id(episode.recording), []).append(episode)
    stream = (found for own in of_each.values() for found in _roll_out(own))
    kept: dict[tuple[int, int], Rollout] = {}
    for episode in episodes:
        while episode._key not in kept:
            found, rollout = next(stream)
            kept[found._key] = rollout
        yield kept[episode._key]
        left[episode._key] -= 1
        if not left[episode._key]:
            del kept[episode._key]


def _roll_out(episodes: Sequence[Episode]) -> Iterator[tuple[Episode, Rollout]]:
    """Runs episodes of one recording again, in any order.

    Args:
        episodes: The episodes, each once.

    Raises:
        RuntimeError: See :meth:`envpool.recordings.episode.Episode.rollout`.
    """
    recording = episodes[0].recording
    source = recording.source
    by_env: dict[int, list[Episode]] = {}
    for episode in sorted(episodes, key=lambda episode: int(episode.row["episode"])):
        by_env.setdefault(int(episode.row["env"]), []).append(episode)
    tracks: dict[int, Track] = {}
    if isinstance(source, NativeSource) and source.most_players == 1:
        chunks = recording.chunks_until(max(int(episode.row["end_call"]) for episode in episodes))
        all_of_them = read_tracks(chunks, by_env, recording.num_envs, source.action_fields)
        tracks = {env: track for env, track in all_of_them.items() if track.is_plain}
        for found in _in_lanes(recording, source, tracks, by_env):
            by_env[found[0].env].remove(found[0])
            yield found
    for env, own in by_env.items():
        if own:
            yield from _in_turn(recording, env, own)


def _in_lanes(
    recording: Recording,
    source: NativeSource,
    tracks: dict[int, Track],
    by_env: dict[int, list[Episode]],
) -> Iterator[tuple[Episode, Rollout]]:
    """Runs environments side by side, the ones of each task in a pool."""
    by_task: dict[int, list[int]] = {}
    for env in sorted(tracks):
        by_task.setdefault(id(source.spec.place_of(env)[0]), []).append(env)
    for envs in by_task.values():
        pool, places = source.open_many(envs)
        with pool:
            lanes = [
                Lane(
                    pool,
                    place,
                    tracks[env].stretches([*by_env[env]], _ends_at_once(recording, env)),
                )
                for env, place in zip(envs, places, strict=True)
            ]
            for episode, piece in run_lanes(pool, lanes):
                yield episode, _rollout_of(recording, episode.row, piece)


def _ends_at_once(recording: Recording, env: int) -> NDArray[np.int64]:
    """Each ``end_call`` of an episode that the next one followed in the same step."""
    if recording.source.config.autoreset_mode != "SameStep":
        return np.zeros(0, np.int64)
    rows = recording.episodes
    calls: NDArray[np.int64] = rows["end_call"][(rows["env"] == env) & (rows["end"] != "failed")]
    return calls


def _rollout_of(recording: Recording, row: Any, piece: Piece) -> Rollout:
    rewards, terminated, truncated, *actions = piece.steps
    ended = "terminated" if terminated[-1] else "truncated" if truncated[-1] else "not over"
    # There is a reward of what comes first, but for a reset.
    first = len(rewards) + 1 - count_rows(piece.observations)
    rewards, terminated, truncated = rewards[first:], terminated[first:], truncated[first:]
    total = float(np.cumsum(rewards)[-1]) if piece.is_whole and len(rewards) else None
    check_end(row, ended, len(rewards), False, total)
    given = tuple(
        action[first:] if len(rewards) else np.zeros((0, *field["shape"]), field["dtype"])
        for action, field in zip(actions, recording.source.action_fields, strict=True)
    )
    return Rollout(
        start=0,
        observations=piece.observations,
        actions=given[0] if len(given) == 1 else given,
        rewards=rewards.astype(recording.reward_dtype),
        terminated=terminated,
        truncated=truncated,
        infos=piece.infos,
    )


def _in_turn(
    recording: Recording, env: int, episodes: list[Episode]
) -> Iterator[tuple[Episode, Rollout]]:
    """Runs one environment through its episodes; those that this does not lead to alone."""
    source = recording.source
    left = {int(episode.row["episode"]): episode for episode in episodes}
    happenings = list(recording.happenings(env, int(episodes[-1].row["end_call"])))
    if len(episodes) > 1 and all(happening.event not in _GAPS for happening in happenings):
        of_env = recording.episodes[recording.episodes["env"] == env]
        pool = source.open(env, False)
        try:
            player = Player(pool, source.config.autoreset_mode)
            for row, played in zip(of_env, _episodes_of(player, happenings), strict=False):
                if int(row["episode"]) in left:
                    check_rows(played, 0, row, source.is_python)
                    yield left.pop(int(row["episode"])), recording.rollout_of(played, 0)
                if not left:
                    return
        except RuntimeError:
            pass  # alone, they tell what it is
        finally:
            pool.close()
    for episode in left.values():
        yield episode, episode.roll_out_alone()


def _episodes_of(player: Player, happenings: list[Happening]) -> Iterator[list[Row]]:
    """The rows of each episode that ends."""
    tape = Tape()
    for happening in happenings:
        if happening.event == Event.FAILURE:
            continue  # its step or reset has failed again
        if happening.event == Event.STATE:
            tape = Tape()
        played = player.play(happening)
        tape.add(played)
        if any(row.is_last or row.failure for row in played):
            yield tape.episode


def check_rows(rows: list[Row], first: int, row: Any, is_python: bool) -> None:
    """Refuses rows that do not end as the recorded episode did; see :func:`check_end`.

    Args:
        rows: Those of the episode from some step on.
        first: That step.
        row: The episode's row in the table.
        is_python: Is the environment written in Python?
    """
    last = rows[-1]
    ended = "failed" if last.failure else "truncated" if last.truncated else "not over"
    ended = "terminated" if last.terminated else ended
    total = _sum(rows) if first == 0 and rows[0].is_first else None
    # Environments in Python may fail after a step, which counts, by what they observe.
    check_end(row, ended, count_steps(rows, first), bool(last.failure), total, is_python)


def check_end(
    row: Any, ended: str, steps: int, uncounted: bool, total: float | None, is_python: bool = False
) -> None:
    """Refuses what does not end as the recorded episode did.

    Args:
        row: The episode's row in the table.
        ended: How it ends.
        steps: After how many steps.
        uncounted: Did a step fail, which the recording may have counted?
        total: The sum of its rewards, if it is known from its beginning on.
        is_python: Is the environment written in Python?

    Raises:
        RuntimeError: It ends otherwise.
    """
    expected = ("terminated", "truncated") if row["end"] == "life" else (row["end"],)
    # In games of several lives, length and return are the game's.
    more = int(row["length"]) - steps
    has_length = more in (0, uncounted) if is_python else more >= 0
    # In other cases, the recorded return has earlier rewards, too.
    if total is None or more:
        total = float(row["return"])
    if ended in expected and has_length and (total == row["return"] or total != total):  # noqa: PLR0124 - NaN
        return
    raise RuntimeError(
        f"episode {row['episode']} does not end as it did when it was recorded: {ended} after "
        f"{steps} steps with a return of {total!r}, expected {row['end']} after {row['length']} "
        f"with {float(row['return'])!r}" + (_NOT_DETERMINISTIC if is_python else "")
    )


def count_steps(rows: list[Row], first: int) -> int:
    """An episode's steps, of which rows begin with the step ``first``."""
    return first + max(len(rows) - 1 - bool(rows[-1].failure), 0)


def _sum(rows: list[Row]) -> float:
    """The rewards' sum, in the order in which the native pool adds them."""
    total = 0.0
    for row in rows:
        for reward in () if row.reward is None else row.reward.tolist():
            total += reward
    return total
