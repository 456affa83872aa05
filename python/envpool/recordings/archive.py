"""Archive: all that a recording's folder has."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from envpool.errors import shown
from envpool.flavours.recording_header import read_header, versions
from envpool.recordings.chunks import read_chunks
from envpool.recordings.sources import make_source, seed_of
from envpool.recordings.table import make_table
from envpool.recordings.timeline import Timeline


class Archive:
    """What happened in a pool, and what makes its environments again.

    Rollouts and episodes are made of it; a :class:`Recording` also makes these.

    Args:
        path: The folder.
        make: See :func:`envpool.replay`.

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
        self.reward_dtype: str = header["reward_dtype"]
        self.source = make_source(self.path, header, make)
        self._warn_of_versions()
        config = self.source.config
        self.num_envs: int = config.num_envs
        self.resets_at_once = bool(config.autoreset_mode == "SameStep")  # in an episode's last step
        chunks = list(read_chunks(self.path))
        self.timeline = Timeline(chunks, self.num_envs, self.source.action_fields)
        self.episodes: NDArray[Any] = make_table(chunks, lambda env: seed_of(config, env))

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
