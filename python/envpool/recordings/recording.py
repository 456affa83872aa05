"""Recording: what ``envpool.make(..., record="runs/a")`` wrote."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.films.files import Film, write_film
from envpool.recordings.chunks import Chunk, Event, read_chunks
from envpool.recordings.films import episode_html, pictures_of, recording_html
from envpool.recordings.header import CHUNKS, read_header, versions
from envpool.recordings.player import Player, Row
from envpool.recordings.rollout import Rollout, first_difference, make_rollout, write_dataset
from envpool.recordings.rollouts import check_rows, count_steps, roll_out, track
from envpool.recordings.sources import NativeSource, PythonSource, seed_of
from envpool.recordings.table import make_table
from envpool.recordings.timeline import (
    Course,
    Happening,
    find_course,
    find_upstream_course,
    happenings,
    is_state_before,
)
from envpool.spec.env_spec import EnvSpec

_PLACES = ("envpool", "gymnasium")


class NoEpisodeError(ArgumentError, IndexError):
    """A recording has no episode of that number."""


def replay(path: str | os.PathLike[str], make: Any = None) -> Recording:
    """Opens a recording.

    Args:
        path: The folder that was given as ``record``. The recording may still be running.
        make: For environments written in Python: what makes them, as it was given to
            :func:`envpool.make_python`. It can be left out if that was a registered id, or a class
            in a module that has been imported.

    Raises:
        ArgumentError: There is no recording, or it has another format, or was not made by a pool
            (also a ValueError); or ``make`` is given for native environments.
        MemoryError: It has more episodes than fit into memory.
        UnknownTaskError: Its task is not installed.

    Warns:
        RuntimeWarning: It was made with other versions of packages, so bits may differ.
    """
    return Recording(path, make)


class Recording:
    """All that happened in a pool.

    Args:
        path: See :func:`replay`.
        make: Likewise.

    Attributes:
        path: The folder.
        task: The task; with several, all of them.
        versions: The versions of packages when it was made, by name.
        num_envs: How many environments the pool had.
        episodes: A structured array with a row for each episode that ended, in the order of their
            ends: ``episode`` (its number), ``env``, ``return``, ``length``, ``end``
            (``"terminated"``, ``"truncated"``, ``"failed"``, or ``"life"`` if its game went on;
            return and length are then the game's), ``begin_call`` and ``end_call`` (calls of
            ``step`` or ``send`` before it), ``seed`` (the last one that the environment was given)
            and ``time`` (when it was written, in seconds since 1970).
    """

    def __init__(self, path: str | os.PathLike[str], make: Any = None) -> None:
        self.path = Path(path)
        header = read_header(self.path)
        self.task: str = header["task"]
        self.versions: dict[str, str] = header["versions"]
        self.reward_dtype: str = header["reward_dtype"]
        self._warn_of_versions()
        self.source = _make_source(self.path, header, make)
        self.num_envs: int = self.source.config.num_envs
        # Another number of arrays is damage like others.
        fields = len(self.source.action_fields)
        whole = itertools.takewhile(
            lambda chunk: chunk.fields == fields, read_chunks(self.path / CHUNKS)
        )
        self._chunks = list(whole)
        for number, chunk in enumerate(self._chunks):
            try:
                chunk.check(self.num_envs)
            except ArgumentError as error:
                raise ArgumentError(
                    f"{shown(str(path))} is not a recording: of chunk {number}, {error}"
                ) from None
        self.episodes: NDArray[Any] = make_table(
            self._chunks, self.num_envs, functools.partial(seed_of, self.source.config)
        )

    @property
    def spec(self) -> EnvSpec:
        """The pool's spec. To see that of environments written in Python, one is made.

        Raises:
            ArgumentError: It is not known what makes them; see :func:`replay`.
        """
        return self.source.spec

    def _warn_of_versions(self) -> None:
        here = versions()
        others = [
            f"{name} {version} (here {here.get(name, 'none')})"
            for name, version in self.versions.items()
            if here.get(name) != version
        ]
        if others:
            warnings.warn(
                f"{self.path} was recorded with {', '.join(others)}: bits may differ",
                RuntimeWarning,
                stacklevel=4,
            )

    def __len__(self) -> int:
        return len(self.episodes)

    def __repr__(self) -> str:
        return f"Recording({str(self.path)!r}): {len(self)} episodes of {self.task}"

    def _repr_html_(self) -> str:
        return recording_html(self)

    def __getitem__(self, number: int) -> Episode:
        """The episode of this number, which may count from the end.

        Raises:
            IndexError: There is none (also an ArgumentError).
        """
        if not -len(self) <= number < len(self):
            raise NoEpisodeError(f"there is no episode {number}: the recording has {len(self)}")
        return Episode(self, self.episodes[number])

    def __iter__(self) -> Iterator[Episode]:
        return (self[number] for number in range(len(self)))

    def best(self, count: int = 1) -> list[Episode]:
        """The episodes with the highest returns, the best one first."""
        order = np.argsort(-self.episodes["return"], kind="stable")[:count]
        return [self[int(number)] for number in order]

    def failure_of(self, env: int, which: int = -1) -> Episode:
        """The episode in which an environment failed.

        Args:
            env: The environment.
            which: The index of the failure among the environment's, from 0; the last by default.

        Raises:
            ArgumentError: There is none.
        """
        of_env = self.episodes["env"] == env
        failed = np.flatnonzero(of_env & (self.episodes["end"] == "failed"))
        if not -len(failed) <= which < len(failed):
            raise ArgumentError(f"environment {env} has failed {len(failed)} times in {self.path}")
        return self[int(failed[which])]

    def steps(self) -> NDArray[np.int64]:
        """How many steps all environments had taken when each episode ended."""
        taken = [chunk["rows"].astype(np.int64) for chunk in self._chunks]
        of_calls = np.concatenate([np.zeros(1, np.int64), *taken])
        of_calls[1:][of_calls[1:] == 0] = self.num_envs  # a call for all of them
        total: NDArray[np.int64] = np.cumsum(of_calls)[self.episodes["end_call"]]
        return total

    def spec_of(self, env: int) -> EnvSpec:
        """A spec of this environment alone, with auto-reset in the step after an episode's end."""
        return self.source.spec_of(env)

    def task_of(self, env: int) -> str:
        """The task of an environment, of which several can be in one pool."""
        return self.source.task_of(env)

    def rollouts(
        self, episodes: Iterable[Episode] | None = None, *, progress: bool = False
    ) -> list[Rollout]:
        """Runs episodes again, many environments at a time; see :meth:`Episode.rollout`.

        Args:
            episodes: The episodes; all of them if left out.
            progress: Show a bar in the terminal?

        Returns:
            The rollout of each, in the same order.

        Raises:
            TypeError: ``episodes`` are none.
            RuntimeError: One does not end as it did when it was recorded, or something that led to
                it could not be recorded.
        """
        chosen = _chosen(self if episodes is None else episodes)
        return list(track(_rollouts(chosen), len(chosen), progress))

    def to_minari(
        self,
        dataset_id: str,
        episodes: Iterable[Episode] | None = None,
        *,
        progress: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Writes a Minari dataset, with the observations of rollouts.

        Episodes that failed end as truncated; those without a step are left out.

        Args:
            dataset_id: Its name, such as ``"cartpole/best-v0"``.
            episodes: The episodes that it contains; all of them if left out.
            progress: Show a bar in the terminal?
            **kwargs: Other arguments of ``minari.create_dataset_from_buffers``, such as ``author``.

        Returns:
            The ``minari.MinariDataset``.

        Raises:
            ImportError: Minari is not installed, or h5py, with which it writes.
            TypeError: ``episodes`` are none.
            ArgumentError: Minari has no such ids, or there are no episodes; or the task has several
                players, or actions of several arrays.

        Warns:
            UserWarning: Episodes are left out.
        """
        chosen = _chosen(self if episodes is None else episodes)
        seeds = [int(episode.seed) for episode in chosen]
        rollouts = track(_rollouts(chosen), len(chosen), progress)
        return write_dataset(dataset_id, self.spec, seeds, rollouts, **kwargs)

    def rollout_of(self, rows: list[Row], start: int) -> Rollout:
        """The rollout of an episode's rows, which begin with some step."""
        players = self.source.most_players > 1
        return make_rollout(rows, start, self.reward_dtype, self.source.action_fields, players)

    def chunks_until(self, end: int) -> list[Chunk]:
        """The chunks up to some one after this many calls of steps."""
        return [chunk for chunk in self._chunks if chunk.first_call <= end]

    def happenings(self, env: int, end: int) -> Iterator[Happening]:
        """All that happened to an environment, up to some chunk after this many calls of steps."""
        chunks = self.chunks_until(end)
        fields = self.source.action_fields
        shapes = [(tuple(field["shape"]), field["per_player"]) for field in fields]
        return happenings(chunks, env, self.num_envs, shapes)


def _chosen(episodes: Any) -> list[Episode]:
    """Episodes, once all are known to be some."""
    chosen = list(episodes) if isinstance(episodes, Iterable) else [episodes]
    for episode in chosen:
        if not isinstance(episode, Episode):
            raise TypeError(
                f"episodes has {shown(episode)}, expected episodes of a recording: "
                "recording.best(100), or [recording[3], recording[5]]"
            )
    return chosen


def _rollouts(episodes: Sequence[Episode]) -> Iterator[Rollout]:
    """The rollout of each episode, of which a recording's are run together."""
    left = Counter(episode._key for episode in episodes)
    of_each: dict[int, list[Episode]] = {}
    for episode in {episode._key: episode for episode in episodes}.values():
        of_each.setdefault(id(episode.recording), []).append(episode)
    stream = (found for own in of_each.values() for found in roll_out(own))
    kept: dict[tuple[int, int], Rollout] = {}
    for episode in episodes:
        while episode._key not in kept:
            found, rollout = next(stream)
            kept[found._key] = rollout
        yield kept[episode._key]
        left[episode._key] -= 1
        if not left[episode._key]:
            del kept[episode._key]


class Episode:
    """An episode of a recording.

    Args:
        recording: The recording.
        row: Its row in the table.
    """

    def __init__(self, recording: Recording, row: Any) -> None:
        self._recording = recording
        self._source = recording.source
        self.row = row

    def __getattr__(self, name: str) -> Any:
        """A field of its row; ``return`` is :attr:`total`, because it is a keyword in Python."""
        if name.startswith("_") or name not in self.row.dtype.names:
            raise AttributeError(f"an episode has no {name!r}")
        return self.row[name].item()

    @property
    def recording(self) -> Recording:
        """What it is of."""
        return self._recording

    @property
    def _key(self) -> tuple[int, int]:
        """What tells it from all others."""
        return id(self._recording), int(self.row["episode"])

    @property
    def task(self) -> str:
        """The task of its environment."""
        return self._source.task_of(self._env)

    @property
    def total(self) -> float:
        """The sum of its rewards."""
        return float(self.row["return"])

    def __repr__(self) -> str:
        return (
            f"Episode {self.episode} of environment {self.env}: return {self.total:g}, "
            f"{self.length} steps, {self.end}"
        )

    def _repr_html_(self) -> str:
        return episode_html(self)

    @property
    def _env(self) -> int:
        return int(self.row["env"])

    def rollout(
        self,
        start: int = 0,
        *,
        frames: bool = False,
        in_: Literal["envpool", "gymnasium"] = "envpool",
    ) -> Rollout:
        """Runs the episode again, with the same bytes.

        Args:
            start: The step to begin with: the first observation is the one after this many steps.
            frames: Whether to draw it, too.
            in_: ``"gymnasium"`` runs it in Gymnasium's own environment instead, from its last seed
                on; then there are no infos.

        Raises:
            ArgumentError: The episode is shorter than ``start``, or its task cannot be drawn; or
                Gymnasium has no such environment, or cannot repeat what was done to it.
            RuntimeError: It does not end as it did when it was recorded, or something that led to
                it could not be recorded.
        """
        if in_ not in _PLACES:
            raise ArgumentError(f"in_ is {shown(in_)}, expected one of {', '.join(_PLACES)}")
        _check_step("start", start)
        if in_ == "gymnasium":
            before = self._happenings(is_whole=True)
            course = find_upstream_course(before)
            pool = self._source.open_upstream(self._env, frames)
            rows, _ = self._play(course, pool, frames)
            return self._part(_end_with_worker(rows, self.row, before), course, start)
        if start or frames:
            return self.roll_out_alone(start, frames)
        return next(_rollouts([self]))

    def roll_out_alone(self, start: int = 0, frames: bool = False) -> Rollout:
        """Runs the episode again, step by step, whatever happened before; see :meth:`rollout`."""
        rows, course, _ = self._play_again(start, frames)
        return self._part(rows, course, start)

    def _part(self, rows: list[Row], course: Course, start: int) -> Rollout:
        """The rollout that begins with some step, of rows that begin where a course does.

        Raises:
            ArgumentError: The episode has no such step.
        """
        steps = count_steps(rows, course.first)
        if start > steps:
            raise ArgumentError(f"start is {start}, and the episode has {steps} steps")
        return self._recording.rollout_of(rows[start - course.first :], start)

    def save(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        fps: float | None = None,
        title: bool = False,
    ) -> Film:
        """Films the episode, which is run again; a notebook shows the result.

        Args:
            path: The file; its name ends in .gif or .mp4. If left out, it is an .mp4 that lives as
                long as the result.
            fps: Pictures per second; by default the task's own rate, as far as such a file can have
                it.
            title: Write the task, the step and the return so far above each picture?

        Raises:
            ArgumentError: An argument is not what it must be, or the task cannot be drawn.
            RuntimeError: See :meth:`rollout`; or the file cannot be written.
            ImportError: What writes or draws is missing: ``pip install "envpool-next[render]"``.
        """
        metadata = self._recording.spec.render_metadata
        return write_film(path, fps, metadata, pictures_of(self, title))

    def state(self, step: int = 0) -> bytes:
        """The environment's state within the episode, for ``set_state`` of a pool.

        Args:
            step: After how many steps. An episode that failed has one also after its last step,
                before the action that failed.

        Raises:
            ArgumentError: The episode is over by then.
            RuntimeError: See :meth:`rollout`; or environments of the task cannot be saved.
        """
        _check_step("step", step)
        rows, course, state = self._play_again(step, frames=False, keep=step)
        if not state:
            steps = count_steps(rows, course.first)
            raise ArgumentError(f"step is {step}, and the episode is over after {steps} steps")
        return state

    def difference(self) -> str:
        """Says where Gymnasium's own environment first differs from the episode; empty if nowhere.

        Raises:
            ArgumentError, RuntimeError: See :meth:`rollout`.
        """
        return first_difference(self.rollout(), self.rollout(in_="gymnasium"))

    def _play_again(
        self, start: int, frames: bool, keep: int | None = None
    ) -> tuple[list[Row], Course, bytes]:
        """Runs the episode's environment, from some step on or earlier.

        Args:
            start: The step.
            frames: Draw each row?
            keep: The step after which its state is wanted.

        Raises:
            RuntimeError: The episode does not end as it did when it was recorded.
        """
        before = self._happenings(is_whole=False)
        course = find_course(before, int(self.row["begin_call"]), start, self._begins_at_once())
        pool = self._source.open(self._env, frames)
        rows, state = self._play(course, pool, frames, keep)
        rows = _end_with_worker(rows, self.row, before)
        check_rows(rows, course.first, self.row, self._source.is_python)
        return rows, course, state

    def _play(
        self, course: Course, pool: Any, frames: bool, keep: int | None = None
    ) -> tuple[list[Row], bytes]:
        """See :meth:`Course.play`; closes the pool."""
        try:
            return course.play(Player(pool, self._source.config.autoreset_mode, frames), keep)
        finally:
            pool.close()

    def _happenings(self, *, is_whole: bool) -> list[Happening]:
        """All that happened to the environment before the episode's end.

        Args:
            is_whole: From the beginning on? Otherwise from the last state that is known before the
                episode, with the last options before that.
        """
        begin, end = int(self.row["begin_call"]), int(self.row["end_call"])
        has_failed = self.row["end"] == "failed"
        failures = self._failures_before()
        found: list[Happening] = []
        for happening in self._recording.happenings(self._env, end):
            # How many calls came before does not tell a reset that failed from the next one.
            if happening.event in (Event.FAILURE, Event.WORKER_END):
                if failures == 0 and has_failed:
                    if happening.event == Event.WORKER_END:
                        found.append(happening)
                    break
                failures -= 1
                continue
            if happening.call >= end and not has_failed:
                break
            if happening.event == Event.MADE:
                found = []
                continue
            if not is_whole and is_state_before(happening, begin):
                found = [event for event in found if event.event == Event.OPTIONS][-1:]
            found.append(happening)
        return found

    def _failures_before(self) -> int:
        """The number of failures of the episode's environment before it."""
        before = self._recording.episodes[: self.row["episode"]]
        return int(((before["env"] == self._env) & (before["end"] == "failed")).sum())

    def _begins_at_once(self) -> bool:
        """Did the episode begin in the step that ended the one before?"""
        if self._source.config.autoreset_mode != "SameStep":
            return False
        all_of_them = self._recording.episodes
        before = (all_of_them["env"] == self._env) & (all_of_them["end"] != "failed")
        return bool((before & (all_of_them["end_call"] == self.row["begin_call"])).any())


def _make_source(path: Path, header: dict[str, Any], make: Any) -> NativeSource | PythonSource:
    if "source" in header:
        return PythonSource(path, header, make)
    if make is not None:
        raise ArgumentError(
            f"make is {shown(make)}, expected None: {header['task']} is a native task"
        )
    return NativeSource(path, header)


def _end_with_worker(rows: list[Row], row: Any, before: list[Happening]) -> list[Row]:
    """The rows of an episode, of which the end of the environment's process may be the last one.

    Args:
        rows: What its steps came to once more.
        row: Its row in the table.
        before: What happened to its environment until its end.
    """
    if not before or before[-1].event != Event.WORKER_END:
        return rows
    if rows[-1].failure:
        return rows  # it was the environment that has ended it, and did so again
    failure = Row(before[-1].call, failure=before[-1].content.decode(errors="replace"))
    if row["length"] == 0:
        return [failure]
    if count_steps(rows, 0) > row["length"]:  # during its last step
        failure = dataclasses.replace(failure, action=rows[-1].action)
    return [*rows[: row["length"] + 1], failure]


def _check_step(name: str, step: int) -> None:
    if step < 0:
        raise ArgumentError(f"{name} is {step}, expected a step of the episode")
