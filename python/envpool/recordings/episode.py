"""Episode: one of a recording, which can be run again, filmed and looked into."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError
from envpool.films.episodes import html_film, html_table
from envpool.films.files import Film, write_film
from envpool.films.pictures import titled
from envpool.recordings.archive import Archive
from envpool.recordings.rollout import EpisodeRollout
from envpool.recordings.rollouts import roll_out
from envpool.spec.values import integer


class Episode:
    """An episode of a recording.

    Args:
        recording: The recording.
        row: Its row in the table.
    """

    def __init__(self, recording: Archive, row: Any) -> None:
        self.recording = recording
        self.row = row

    def __getattr__(self, name: str) -> Any:
        """A field of its row; ``return`` is :attr:`total`, because it is a keyword in Python."""
        if name.startswith("_") or name not in self.row.dtype.names:
            raise AttributeError(f"an episode has no {name!r}")
        return self.row[name].item()

    @property
    def task(self) -> str:
        """The task of its environment."""
        return self.recording.source.task_of(int(self.row["env"]))

    @property
    def total(self) -> float:
        """The sum of its rewards."""
        return float(self.row["return"])

    @property
    def facts(self) -> dict[str, Any]:
        """What a notebook shows of it."""
        return {
            "episode": self.episode,
            "task": self.task,
            "environment": self.env,
            "return": f"{self.total:.6g}",
            "length": self.length,
            "end": self.end,
        }

    def __repr__(self) -> str:
        return (
            f"Episode {self.episode} of environment {self.env}: return {self.total:g}, "
            f"{self.length} steps, {self.end}"
        )

    def _repr_html_(self) -> str:
        return html_table([self.facts]) + html_film(self.save, self.length)

    def rollout(self, start: int = 0, *, frames: bool = False) -> EpisodeRollout:
        """Runs the episode again, with the same bytes.

        Args:
            start: The step to begin with: the first observation is the one after this many steps.
            frames: True to draw it, too.

        Raises:
            ArgumentError: The episode is shorter than ``start``, or its task cannot be drawn.
            RuntimeError: It does not end as it did when it was recorded, or something that led to
                it could not be recorded.
        """
        start = integer("start", start, 0)
        return roll_out(self.recording, self.row, start, frames=frames)[0]

    def pictures(self, *, title: bool = False) -> Iterator[NDArray[np.uint8]]:
        """The pictures of the episode, which is run again.

        Args:
            title: True to write the task, the step and the return so far above each.

        Raises:
            ArgumentError, RuntimeError: See :meth:`rollout`.
        """
        rollout = self.rollout(frames=True)
        frames = () if rollout.frames is None else rollout.frames
        totals = itertools.accumulate(map(np.sum, rollout.rewards), initial=0.0)
        for step, (frame, total) in enumerate(zip(frames, totals, strict=False)):
            yield titled(frame, self.task, step, float(total)) if title else frame

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
            title: True to write the task, the step and the return so far above each picture.

        Raises:
            ArgumentError: An argument is not what it must be, or the task cannot be drawn.
            RuntimeError: See :meth:`rollout`; or the file cannot be written.
            ImportError: What writes or draws is missing: ``pip install "envpool-next[render]"``.
        """
        metadata = self.recording.source.spec.pictures.metadata
        return write_film(path, fps, metadata, self.pictures(title=title))

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
        rollout, state = roll_out(self.recording, self.row, keep=step)
        if not state:
            steps = rollout.start + len(rollout)
            has = f"is over after {steps}" if step >= steps else f"begins after {rollout.start}"
            raise ArgumentError(f"step is {step}, and the episode {has} steps")
        return state
