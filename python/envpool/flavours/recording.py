"""The folder of a recording: what the pool is, beside what the native pool writes down."""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from envpool.errors import ArgumentError, shown
from envpool.spec.env_spec import EnvSpec

FORMAT = 1
HEADER = "header.json"
CHUNKS = "chunks"
# What a step may depend on. Packages that are not installed are left out.
_PACKAGES = ("envpool-next", "numpy", "mujoco", "ale-py", "dm_control", "gymnasium")
# Options that say nothing of what happens, and mean nothing elsewhere.
OWN_OPTIONS = ("base_path", "gym_reset_return_info", "max_num_players", "record", "thread_pool")


def versions() -> dict[str, str]:
    """The versions of what a step may depend on, by name."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for package in _PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


@contextmanager
def recording(record: str | os.PathLike[str] | None) -> Iterator[Folder | None]:
    """Makes the folder that the option ``record`` names; it goes again if the pool is not made.

    Args:
        record: The option's value.

    Yields:
        The folder; None without a recording.

    Raises:
        ArgumentError: It is there already or cannot be made.
    """
    if record is None:
        yield None
        return
    folder = Folder(record)
    folder.make()
    try:
        yield folder
    except BaseException:
        folder.remove()
        raise


class Folder:
    """The folder of a recording.

    Args:
        record: What the option says.
    """

    def __init__(self, record: str | os.PathLike[str]) -> None:
        self._path = Path(record).resolve()

    @property
    def chunks(self) -> str:
        """The file for the native pool."""
        return str(self._path / CHUNKS)

    def make(self) -> None:
        """Makes it, without files."""
        with _os_errors_as_messages(self._path):
            self._path.mkdir(parents=True)

    def write_header(self, header: dict[str, Any]) -> None:
        """Writes what the pool is.

        Args:
            header: What there is to say, beside the format and versions.
        """
        whole = {"format": FORMAT, "versions": versions()} | header
        with _os_errors_as_messages(self._path):
            (self._path / HEADER).write_text(json.dumps(whole, indent=1) + "\n")

    def remove(self) -> None:
        """Removes it with its files, whose writer has ended."""
        for name in (CHUNKS, HEADER):
            (self._path / name).unlink(missing_ok=True)
        self._path.rmdir()


@contextmanager
def _os_errors_as_messages(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ArgumentError(
            f"record is {shown(str(folder))}, expected a folder that can be made: {error.strerror}"
        ) from None


def native_header(spec: EnvSpec, reward_dtype: str) -> dict[str, Any]:
    """What a recording says of a pool of native environments.

    Args:
        spec: What the pool is made of.
        reward_dtype: The type of its rewards.

    Raises:
        ArgumentError: The task has no id, or an option cannot be written down.
    """
    ids = [each.id for each in spec.task_specs]
    if None in ids:
        raise ArgumentError("record needs the id of a task: make the pool by envpool.make()")
    options = spec.make_options()
    header: dict[str, Any] = {
        "task": " + ".join(map(str, ids)),
        "reward_dtype": reward_dtype,
        "options": {
            name: _plain(name, value) for name, value in options.items() if name not in OWN_OPTIONS
        },
    }
    if spec.shows_tasks:
        # Neighbours are mostly of the same one.
        runs = itertools.groupby(spec.kind_of)
        header["tasks"] = [[ids[kind], len(list(envs))] for kind, envs in runs]
    return header


def _plain(name: str, value: Any) -> Any:
    """The value as JSON has it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, list | tuple):
        return [_plain(name, item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ArgumentError(f"{name} is {shown(value)}, which a recording cannot keep")
