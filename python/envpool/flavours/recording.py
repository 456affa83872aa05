"""The folder of a recording: what the pool is, beside what the native pool writes down."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from envpool.errors import ArgumentError, shown
from envpool.spec.config import COMMON_CONFIG
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
def recording(spec: EnvSpec, reward_dtype: str) -> Iterator[str]:
    """Makes the folder that the option ``record`` names; it goes again if the pool is not made.

    Args:
        spec: What the pool is made of.
        reward_dtype: The type of its rewards.

    Yields:
        The file for the native pool; empty without a recording.

    Raises:
        ArgumentError: The folder is there already or cannot be made, the task has no id, or an
            option cannot be written down.
    """
    if spec.config.record is None:
        yield ""
        return
    header = json.dumps(_header(spec, reward_dtype), indent=1)
    folder = Path(spec.config.record).resolve()
    with _os_errors_as_messages(folder):
        folder.mkdir(parents=True)
    try:
        with _os_errors_as_messages(folder):
            (folder / HEADER).write_text(header + "\n")
        yield str(folder / CHUNKS)
    except BaseException:
        for name in (CHUNKS, HEADER):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()
        raise


@contextmanager
def _os_errors_as_messages(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ArgumentError(
            f"record is {shown(str(folder))}, expected a folder that can be made: {error.strerror}"
        ) from None


def _header(spec: EnvSpec, reward_dtype: str) -> dict[str, Any]:
    if len(spec.task_specs) > 1:
        raise ArgumentError(
            "record is for pools of one task, and make_multi() makes one of several"
        )
    if spec.id is None:
        raise ArgumentError("record needs the id of a task: make the pool by envpool.make()")
    config = spec.config._asdict()
    names = [name for name in (*COMMON_CONFIG, *spec.env_type.options) if name not in OWN_OPTIONS]
    return {
        "format": FORMAT,
        "task": spec.id,
        "reward_dtype": reward_dtype,
        "versions": versions(),
        "options": {name: _plain(name, config[name]) for name in names},
    }


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
