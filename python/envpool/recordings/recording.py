"""Recording: what ``envpool.make(..., record="runs/a")`` wrote."""

from __future__ import annotations

import functools
import itertools
import os
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.films.episodes import recording_html
from envpool.flavours.recording_header import CHUNKS, read_header, versions
from envpool.recordings.chunks import Chunk, read_chunks
from envpool.recordings.episode import Episode
from envpool.recordings.player import Row
from envpool.recordings.rollout import Rollout, make_rollout, write_dataset
from envpool.recordings.rollouts import rollouts_of, track
from envpool.recordings.sources import NativeSource, PythonSource, seed_of
from envpool.recordings.table import make_table
from envpool.recordings.timeline import Happening, happenings
from envpool.spec.env_spec import EnvSpec
from envpool.spec.values import INT_MAX, integer


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
            (also a ValueError), or its engine, such as MuJoCo, has another version here; or
            ``make`` is given for native environments.
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
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"path is {shown(path)}, expected the folder of a recording")
        self.path = Path(path)
        header = read_header(self.path)
        self.task: str = header["task"]
        self.versions: dict[str, str] = header["versions"]
        self.reward_dtype: str = header["reward_dtype"]
        self.source = _make_source(self.path, header, make)
        if "engine" in header:  # older ones do not tell
            self._require_engine(header["engine"])
        self._warn_of_versions()
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

    def _require_engine(self, engine: str) -> None:
        here = self.spec.engine
        if here != engine:
            raise ArgumentError(
                f"{self.path} was recorded with {engine}, and here is {here or 'none'}: its "
                "episodes would be others"
            )

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
            TypeError: It is no integer.
        """
        number = integer("number", number, -INT_MAX)
        if not -len(self) <= number < len(self):
            raise NoEpisodeError(f"there is no episode {number}: the recording has {len(self)}")
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

    def failure_of(self, env: int, which: int = -1) -> Episode:
        """The episode in which an environment failed.

        Args:
            env: The environment.
            which: The index of the failure among the environment's, from 0; the last by default.

        Raises:
            ArgumentError: There is none, or no such environment.
            TypeError: A number is no integer.
        """
        env = integer("env", env, 0, self.num_envs - 1)
        which = integer("which", which, -INT_MAX)
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
        return list(track(rollouts_of(chosen), len(chosen), progress))

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
        rollouts = track(rollouts_of(chosen), len(chosen), progress)
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


def _make_source(path: Path, header: dict[str, Any], make: Any) -> NativeSource | PythonSource:
    if "source" in header:
        return PythonSource(path, header, make)
    if make is not None:
        raise ArgumentError(
            f"make is {shown(make)}, expected None: {header['task']} is a native task"
        )
    return NativeSource(path, header)
