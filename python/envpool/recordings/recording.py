"""Recording: what ``envpool.make(..., record="runs/a")`` wrote."""

from __future__ import annotations

import html
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import shown
from envpool.films.episodes import html_table
from envpool.recordings.archive import Archive
from envpool.recordings.episode import Episode
from envpool.recordings.minari import write_dataset
from envpool.recordings.rollout import EpisodeRollout
from envpool.recordings.rollouts import roll_out_all
from envpool.spec.env_spec import EnvSpec
from envpool.spec.values import INT_MAX, integer

_BEST = 5  # episodes of a recording that a notebook shows


def replay(path: str | os.PathLike[str], make: Any = None) -> Recording:
    """Opens a recording.

    Args:
        path: The folder that was given as ``record``. The recording may still be running.
        make: For environments written in Python: what makes them, as it was given to
            :func:`envpool.make_python`. It can be left out if that was a registered id, or a class
            in a module that has been imported.

    Raises:
        ArgumentError: There is no recording, or it has another format, or was not made by a pool
            (also a ValueError), or its engine, such as MuJoCo, has another version here; or
            ``make`` is given for native environments.
        UnknownTaskError: Its task is not installed.

    Warns:
        RuntimeWarning: It was made with other versions of packages, so bits may differ.
    """
    return Recording(path, make)


class Recording(Archive):
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

    @property
    def spec(self) -> EnvSpec:
        """The pool's spec. To see that of environments written in Python, one is made.

        Raises:
            ArgumentError: It is not known what makes them; see :func:`replay`.
        """
        return self.source.spec

    def __len__(self) -> int:
        return len(self.episodes)

    def __repr__(self) -> str:
        return f"Recording({str(self.path)!r}): {len(self)} episodes of {self.task}"

    def _repr_html_(self) -> str:
        best = [episode.facts for episode in self.best(_BEST)]
        return f"<p>{html.escape(repr(self))}; the best:</p>" + html_table(best)

    def __getitem__(self, number: int) -> Episode:
        """The episode of this number, which may count from the end.

        Raises:
            IndexError: There is none.
            TypeError: It is no integer.
        """
        number = integer("number", number, -INT_MAX)
        if not -len(self) <= number < len(self):
            raise IndexError(f"there is no episode {number}: the recording has {len(self)}")
        return Episode(self, self.episodes[number])

    def __iter__(self) -> Iterator[Episode]:
        return (self[number] for number in range(len(self)))

    def best(self, count: int = 1) -> list[Episode]:
        """The episodes with the highest returns, the best one first.

        Raises:
            ArgumentError: ``count`` is negative.
            TypeError: It is no integer.
        """
        count = integer("count", count, 0)
        order = np.argsort(-self.episodes["return"], kind="stable")[:count]
        return [self[int(number)] for number in order]

    def steps(self) -> NDArray[np.int64]:
        """How many steps all environments had taken when each episode ended."""
        called = [chunk.rows for chunk in self.timeline.chunks]
        rows = np.concatenate([np.zeros(1, np.int64), *called])
        rows[1:][rows[1:] == 0] = self.num_envs  # a call for all of them
        total: NDArray[np.int64] = np.cumsum(rows)[self.episodes["end_call"]]
        return total

    def rollouts(self, episodes: Iterable[Episode] | None = None) -> list[EpisodeRollout]:
        """Runs episodes again, many environments at a time; see :meth:`Episode.rollout`.

        Args:
            episodes: The episodes; all of them if left out.

        Returns:
            The rollout of each, in the same order.

        Raises:
            TypeError: ``episodes`` are none.
            RuntimeError: One does not end as it did when it was recorded, or something that led to
                it could not be recorded.
        """
        return list(self._rollouts_of(self._chosen(episodes)))

    def to_minari(
        self, dataset_id: str, episodes: Iterable[Episode] | None = None, **kwargs: Any
    ) -> Any:
        """Writes a Minari dataset, with the observations of rollouts.

        Episodes that failed end as truncated; those without a step are left out.

        Args:
            dataset_id: Its name, such as ``"cartpole/best-v0"``.
            episodes: The episodes that it contains; all of them if left out.
            **kwargs: Other arguments of ``minari.create_dataset_from_buffers``, such as ``author``.

        Returns:
            The ``minari.MinariDataset``.

        Raises:
            ImportError: Minari is not installed, or h5py, with which it writes.
            TypeError: ``episodes`` are none.
            ArgumentError: There are no episodes; or the task has several players, or actions of
                several arrays.
            ValueError: Minari has no such ids, or there is such a dataset.

        Warns:
            UserWarning: Episodes are left out.
        """
        chosen = self._chosen(episodes)
        seeds = [int(episode.seed) for episode in chosen]
        return write_dataset(dataset_id, self.spec, seeds, self._rollouts_of(chosen), **kwargs)

    def _chosen(self, episodes: Any) -> list[Episode]:
        """Episodes of this recording, all of them by default."""
        given = self if episodes is None else episodes
        chosen = list(given) if isinstance(given, Iterable) else [given]
        for episode in chosen:
            if not isinstance(episode, Episode) or episode.recording is not self:
                raise TypeError(
                    f"episodes has {shown(episode)}, expected episodes of this recording: "
                    "recording.best(100), or [recording[3], recording[5]]"
                )
        return chosen

    def _rollouts_of(self, episodes: Sequence[Episode]) -> Iterator[EpisodeRollout]:
        """The rollout of each; an episode is run once, and forgotten when nobody needs it more."""
        numbers = [int(episode.episode) for episode in episodes]
        left = Counter(numbers)
        stream = roll_out_all(self, [self.episodes[number] for number in sorted(left)])
        kept: dict[int, EpisodeRollout] = {}
        for number in numbers:
            while number not in kept:
                kept.update([next(stream)])
            left[number] -= 1
            yield kept[number] if left[number] else kept.pop(number)
