"""The folder of a recording and its header: what the pool is, and what makes it again."""

from __future__ import annotations

import itertools
import json
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.families.record import records
from envpool.machine import commit, installed_version
from envpool.spec.env_spec import EnvSpec
from envpool.spec.options import About, options_about
from envpool.spec.plain import to_plain

if TYPE_CHECKING:
    from envpool.flavours.python_spec import PythonEnvSpec

FORMAT = 3
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


class Folder:
    """The folder of a recording, which is made here.

    Args:
        record: What the option says.

    Attributes:
        chunks: The file for the native pool, a path as the system has it.

    Raises:
        ArgumentError: It is there already or cannot be made.
    """

    def __init__(self, record: str | os.PathLike[str]) -> None:
        with _os_errors_as_messages(record):
            self._path = Path(record).resolve()
            self._path.mkdir(parents=True)
        self.chunks = os.fsencode(self._path / CHUNKS)

    def write_header(self, header: dict[str, Any]) -> None:
        """Writes what the pool is.

        Args:
            header: What there is to say, beside the format.
        """
        # The commit is no version that has to be the same: it is for whoever looks for a mistake.
        built_from = {"commit": found} if (found := commit()) else {}
        whole = {"format": FORMAT} | built_from | header
        text = json.dumps(signed(whole), indent=1) + "\n"
        with _os_errors_as_messages(self._path):
            (self._path / HEADER).write_text(text)

    def remove(self) -> None:
        """Removes it with its files, whose writer has ended."""
        for name in (CHUNKS, HEADER):
            (self._path / name).unlink(missing_ok=True)
        self._path.rmdir()


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
    folder = None if record is None else Folder(record)
    try:
        yield folder
    except BaseException:
        if folder is not None:
            folder.remove()
        raise


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
            if name not in here
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
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ArgumentError(f"{name} is {shown(value)}, which a recording cannot keep")


def python_header(
    source: Any, task_id: str | None, config: Any, given: Mapping[str, Any]
) -> dict[str, Any]:
    """The header of environments written in Python, as far as it is known before one is made.

    Args:
        source: What makes them; see :func:`envpool.make_python`.
        task_id: What the task is called, if it was registered.
        config: The values of all options.
        given: The options that the caller gave.

    Raises:
        ArgumentError: An option cannot be written down.
    """
    name, found = _source_header(source, task_id)
    options = _options_header(config, given)
    return {"task": name, "versions": versions(), "source": found, "options": options}


def _source_header(source: Any, task_id: str | None) -> tuple[str, dict[str, str]]:
    """The task's name, and where environments come from, if that has a name."""
    found: dict[str, str] = {}
    name = getattr(source, "__qualname__", type(source).__name__)
    if task_id is not None and not isinstance(source, str):
        found["registered"] = name = task_id
    elif isinstance(source, str):
        found["gymnasium"] = name = source
    elif isinstance(source, type) and "<locals>" not in source.__qualname__:
        found["class"] = f"{source.__module__}:{source.__qualname__}"
    return name, found


def _options_header(config: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    options = {name: to_plain(getattr(config, name)) for name in options_about(About.COURSE)}
    # If it was not given, Gymnasium's registry says it.
    if "max_episode_steps" in given:
        options["max_episode_steps"] = config.max_episode_steps
    try:
        options["env_kwargs"] = to_plain(config.env_kwargs)
        json.dumps(options["env_kwargs"])
    except TypeError as error:
        raise ArgumentError(
            f"env_kwargs has {error}, which a recording cannot keep: give the source as a function "
            "that needs no env_kwargs"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"env_kwargs cannot be written down: {error}") from None
    return options


def spec_header(spec: PythonEnvSpec, reward_dtype: str) -> dict[str, Any]:
    """The arrays that are recorded.

    Args:
        spec: The pool's.
        reward_dtype: The type of its rewards.

    Raises:
        ArgumentError: Observations or actions have parts that are no arrays.
    """
    spec.spaces.require_arrays("a recording", "leave record out")
    return {
        "reward_dtype": reward_dtype,
        "max_num_players": spec.spaces.most_players,
        "action": [
            {name: field[name] for name in ("dtype", "shape", "per_player")}
            for field in spec.spaces.action_fields
        ],
    }


def find_source(found: Mapping[str, str], python_tasks: Mapping[str, Any]) -> Any:
    """Finds what makes the environments, without importing or calling anything.

    Args:
        found: What :func:`python_header` says of it.
        python_tasks: Those that are registered.

    Returns:
        What makes them; None if it is not known.
    """
    if "registered" in found:
        task = python_tasks.get(found["registered"])
        return None if task is None else task.source
    if "gymnasium" in found:
        module = found["gymnasium"].rpartition(":")[0]
        return found["gymnasium"] if not module or module in sys.modules else None
    return _find_class(found["class"]) if "class" in found else None


def _find_class(name: str) -> Any:
    """A class of environments in a module that was imported."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    is_environment = isinstance(found, type) and all(
        callable(getattr(found, method, None)) for method in ("reset", "step")
    )
    return found if is_environment else None


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
        header: dict[str, Any] = json.loads((path / HEADER).read_text())
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
