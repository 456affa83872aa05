"""Episode: one of a recording, which can be run again, filmed and looked into."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any, Literal

from envpool.errors import ArgumentError, shown
from envpool.films.episodes import episode_html, pictures_of
from envpool.films.files import Film, write_film
from envpool.recordings.chunks import Event
from envpool.recordings.player import Player, Row
from envpool.recordings.rollout import Rollout, first_difference
from envpool.recordings.rollouts import check_rows, count_steps, rollouts_of
from envpool.recordings.timeline import (
    Course,
    Drawn,
    Happening,
    find_course,
    find_upstream_course,
    is_state_before,
)
from envpool.spec.values import integer

if TYPE_CHECKING:
    from envpool.recordings.recording import Recording

_PLACES = ("envpool", "gymnasium")


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
        start = integer("start", start, 0)
        if in_ == "gymnasium":
            before = self._happenings(is_whole=True)
            course = find_upstream_course(before)
            pool = self._source.open_upstream(self._env, frames)
            # Pictures of some of Gymnasium's environments depend on those before.
            rows, _ = self._play(course, pool, self._drawn(0) if frames else None)
            return self._part(_end_with_worker(rows, self.row, before), course, start)
        if start or frames:
            return self.roll_out_alone(start, frames)
        return next(rollouts_of([self]))

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
        step = integer("step", step, 0)
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
            frames: Draw the rows from there on?
            keep: The step after which its state is wanted.

        Raises:
            RuntimeError: The episode does not end as it did when it was recorded.
        """
        before = self._happenings(is_whole=False)
        course = find_course(before, int(self.row["begin_call"]), start, self._begins_at_once())
        pool = self._source.open(self._env, frames)
        rows, state = self._play(course, pool, self._drawn(start) if frames else None, keep)
        rows = _end_with_worker(rows, self.row, before)
        check_rows(rows, course.first, self.row, self._source.is_python)
        return rows, course, state

    def _play(
        self, course: Course, pool: Any, drawn: Drawn | None, keep: int | None = None
    ) -> tuple[list[Row], bytes]:
        """See :meth:`Course.play`; closes the pool."""
        try:
            player = Player(pool, self._source.config.autoreset_mode)
            return course.play(player, keep, drawn)
        finally:
            pool.close()

    def _drawn(self, start: int) -> Drawn:
        """The rows from a step on, which are drawn."""
        return Drawn(int(self.row["begin_call"]) - self._begins_at_once(), start)

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
                found = [happening]
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
        goes_on = (all_of_them["end"] != "failed") | (self._source.config.on_failure == "reset")
        before = (all_of_them["env"] == self._env) & goes_on
        return bool((before & (all_of_them["end_call"] == self.row["begin_call"])).any())


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
    if row["length"] == count_steps(rows, 0) == 0:  # perhaps in its reset
        return [failure]
    if count_steps(rows, 0) > row["length"]:  # during its last step
        failure = dataclasses.replace(failure, action=rows[-1].action)
    return [*rows[: row["length"] + 1], failure]
