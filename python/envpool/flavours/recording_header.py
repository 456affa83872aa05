"""The folder of a recording and its header: what the pool is, and what makes it again."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.families.record import records
from envpool.machine import commit, installed_version
from envpool.spec.env_spec import EnvSpec
from envpool.spec.options import About, options_about

FORMAT = 4
HEADER = "header.json"
CHUNKS = "chunks"
# NumPy's names of native DTypes, by their numbers.
DTYPES = (
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float32", "float64"),
)
_PACKAGES = ("envpool-next", "numpy", "gymnasium")  # on which any step may depend


def versions(packages: Iterable[str] = _PACKAGES) -> dict[str, str]:
    """The versions of Python, of the machine, and of those packages that are installed, by name."""
    found = {package: installed_version(package) for package in packages}
    here = {"python": platform.python_version(), "machine": platform.machine()}
    return here | {package: version for package, version in found.items() if version}


def _packages_of(spec: EnvSpec) -> list[str]:
    """The packages on which a step may depend: families' records say what their tasks need."""
    modules = {type(each).__module__ for each in spec.task_specs}
    families = [family for family in records().values() if family.package in modules]
    needed = [each for family in families for way in family.ways for each in way.requirements]
    return [*_PACKAGES, *(re.split(r"[^\w.-]", requirement)[0] for requirement in needed)]


@contextmanager
def recording(record: str | os.PathLike[str] | None) -> Iterator[Path | None]:
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
    with _os_errors_as_messages(record):
        folder = Path(record).resolve()
        folder.mkdir(parents=True)
    try:
        yield folder
    except BaseException:
        for name in (CHUNKS, HEADER):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()
        raise


def write_header(folder: Path, header: dict[str, Any]) -> None:
    """Writes what the pool is.

    Args:
        folder: The recording's.
        header: What there is to say, beside the format.
    """
    # The commit is no version that has to be the same: it is for whoever looks for a mistake.
    built_from = {"commit": found} if (found := commit()) else {}
    text = json.dumps(signed({"format": FORMAT} | built_from | header), indent=1) + "\n"
    with _os_errors_as_messages(folder):
        (folder / HEADER).write_text(text, "utf-8")


@contextmanager
def _os_errors_as_messages(folder: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:  # also of texts that are no paths
        reason = error.strerror if isinstance(error, OSError) else error
        if isinstance(error, FileExistsError):
            reason = "there is one of that name, which is kept: give another one"
        raise ArgumentError(
            f"record is {shown(os.fspath(folder))}, expected a folder that can be made: {reason}"
        ) from None


def native_header(spec: EnvSpec, reward_dtype: str) -> dict[str, Any]:
    """The header of a pool of native environments.

    Args:
        spec: What the pool is made of.
        reward_dtype: The type of its rewards.

    Raises:
        ArgumentError: The task has no id, or an option cannot be written down.
    """
    ids = [each.id for each in spec.task_specs]
    if None in ids:
        raise ArgumentError("record needs the id of a task: make the pool by envpool.make()")
    here = options_about(About.HERE)
    header: dict[str, Any] = {
        "task": " + ".join(map(str, ids)),
        "versions": versions(_packages_of(spec)),
        "reward_dtype": reward_dtype,
        "options": {
            name: _plain(name, value)
            for name, value in spec.options.kept().items()
            if name not in here and name not in spec.unrecorded
        },
    }
    if spec.engine:
        header["engine"] = spec.engine
    if spec.spaces.shows_tasks:
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
    if isinstance(value, Mapping):
        return {str(key): _plain(name, item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return {type(value).__name__: _plain(name, vars(value))}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ArgumentError(f"{name} is {shown(value)}, which a recording cannot keep")


def signed(header: Mapping[str, Any]) -> dict[str, Any]:
    """The header with a checksum of all its entries."""
    bare = {name: value for name, value in header.items() if name != "checksum"}
    return bare | {"checksum": f"{_core.hash_of_bytes(json.dumps(bare).encode()):016x}"}


def read_header(path: Path) -> dict[str, Any]:
    """Reads the header that a pool has written.

    Args:
        path: The recording's folder.

    Raises:
        ArgumentError: There is no header, or it has another format, or it was changed.
    """
    try:
        header: dict[str, Any] = json.loads((path / HEADER).read_text("utf-8"))
        version = header["format"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise ArgumentError(
            f"{shown(str(path))} is not a recording, expected a folder that "
            "envpool.make(..., record=...) made"
        ) from None
    if version != FORMAT:
        raise ArgumentError(
            f"{shown(str(path))} is a recording of format {shown(version)}, expected {FORMAT}: "
            "another version of envpool-next made it, which can read it"
        )
    if header != signed(header):
        raise ArgumentError(
            f"{shown(str(path))} is damaged: {HEADER} has been changed since a pool wrote it"
        )
    return header
