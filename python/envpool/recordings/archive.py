"""Archive: all that a recording's folder has."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import operator
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.flavours.recording_header import read_header, versions
from envpool.recordings.chunks import Event, read_chunks
from envpool.recordings.sources import NativeSource, PythonSource, seed_of
from envpool.recordings.table import make_table
from envpool.recordings.timeline import Happening, Step, events_of, steps_of


class Archive:
    """What happened in a pool, and what makes its environments again.

    Args:
        path: The folder.
        make: See :func:`envpool.replay`.

    Attributes:
        path: The folder.
        task: The task; with several, all of them.
        versions: The versions of packages when it was made, by name.
        num_envs: How many environments the pool had.
        episodes: See :data:`envpool.recordings.table.EPISODE`.
        source: What makes the environments.
        reward_dtype: The type of rewards.

    Raises:
        ArgumentError, UnknownTaskError: See :func:`envpool.replay`.
    """

    def __init__(self, path: str | os.PathLike[str], make: Any) -> None:
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"path is {shown(path)}, expected the folder of a recording")
        self.path = Path(path)
        header = read_header(self.path)
        self.task: str = header["task"]
        self.versions: dict[str, str] = header["versions"]
        self.source = self._make_source(header, make)
        self._warn_of_versions()
        source = self.source
        self.num_envs: int = source.config.num_envs
        self.chunks = list(read_chunks(self.path))
        self.episodes: NDArray[Any] = make_table(
            self.chunks, lambda env: seed_of(source.config, env)
        )
        self.reward_dtype: str = header["reward_dtype"]

    def _make_source(self, header: dict[str, Any], make: Any) -> NativeSource | PythonSource:
        if "source" in header:
            return PythonSource(self.path, header, make)
        if make is not None:
            raise ArgumentError(
                f"make is {shown(make)}, expected None: {header['task']} is a native task"
            )
        source = NativeSource(self.path, header)
        here, engine = source.spec.engine, header.get("engine", "")
        if here != engine:
            raise ArgumentError(
                f"{self.path} was recorded with {engine or 'no engine'}, and here is "
                f"{here or 'none'}: its episodes would be others"
            )
        return source

    def _warn_of_versions(self) -> None:
        here = versions(self.versions)
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

    @property
    def resets_at_once(self) -> bool:
        """True if the pool began episodes in the step that ended those before."""
        return bool(self.source.config.autoreset_mode == "SameStep")

    def _steps(self, envs: Sequence[int], begin: int, end: int) -> Iterator[Step]:
        """What some environments did in the calls from one to another."""
        for chunk in self.chunks:
            if chunk.first_call < end and begin < chunk.first_call + len(chunk.rows):
                steps = steps_of(chunk, envs, self.num_envs, self.source.action_fields)
                yield from (step for step in steps if begin <= step.call < end)

    def happenings(self, envs: Sequence[int], end: int) -> Iterator[Happening | Step]:
        """All that happened to some environments until so many calls of steps had ended."""
        events = itertools.takewhile(lambda event: event.call <= end, events_of(self.chunks, envs))
        return _in_order(events, self._steps(envs, 0, end))

    def course_to(self, row: Any) -> list[Happening | Step]:
        """What leads to an episode's end: from the last state before it, with its options, on.

        Args:
            row: Its row in the table.
        """
        env, begin = int(row["env"]), int(row["begin_call"])
        events = list(events_of(self.chunks, [env]))
        ends = [place for place, event in enumerate(events) if event.event == Event.END]
        events = events[: ends[int((self.episodes["env"][: row["episode"]] == env).sum())]]
        way: list[Happening | Step] = []
        states = [place for place, event in enumerate(events) if event.is_state_before(begin)]
        if states:
            before, state = events[: states[-1]], events[states[-1]]
            events = events[states[-1] + 1 :]
            way += [event for event in before if event.event == Event.OPTIONS][-1:]
            way.append(dataclasses.replace(state, event=Event.STATE))
        steps = self._steps([env], way[-1].call if way else 0, int(row["end_call"]))
        return [*way, *_in_order((each for each in events if each.event != Event.END), steps)]


def _in_order(events: Iterable[Happening], steps: Iterable[Step]) -> Iterator[Happening | Step]:
    """Events and steps in the order in which they happened: an event before its call's step."""
    return heapq.merge(events, steps, key=operator.attrgetter("call"))
