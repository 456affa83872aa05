"""Fetches what an engine is built from or with out of the package index, and unpacks it.

    python fetch.py sdist Box2D==2.3.2 FOLDER SHA256 [PATCH...]
    python fetch.py wheel mujoco-core==4.0.0 FOLDER PREFIX...

A source distribution is checked and patched; of a wheel, what begins with a prefix is unpacked. pip
does the download, and so its settings of index, proxy and certificates hold. The archive stays in a
cache; without a network, put it into a folder and name that in ENVPOOL_SDIST_DIR. Patches are
applied here, because a machine that only builds a package may have neither `patch` nor `git`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

# What pip is told. It also asks a source distribution for its metadata. That needs the package's
# build backend, which is among our own build requirements, and nothing else.
SDIST = ["--no-binary", ":all:", "--no-build-isolation"]
# Headers and libraries are the same in the wheels for all versions of Python.
WHEEL = ["--only-binary", ":all:", "--python-version", "3.11"]


def folders() -> list[Path]:
    """Where archives may be: the folder that is given, if one is, and the cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "envpool"
    given = os.environ.get("ENVPOOL_SDIST_DIR")
    return [*([Path(given)] if given else []), cache]


def found(requirement: str, ending: str) -> list[Path]:
    """The archives of a package that one of the folders has.

    Args:
        requirement: Such as ``Box2D==2.3.2``.
        ending: A pattern of what follows its version.
    """
    name, version = requirement.split("==")
    spellings = dict.fromkeys([name, name.replace("-", "_")])
    files = [
        path
        for each in spellings
        for folder in folders()
        for path in folder.glob(f"{each}-{version}{ending}")
    ]
    return [path for path in files if path.is_file()]


def digest(archive: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(archive.read_bytes()).hexdigest()


def download(requirement: str, options: list[str], is_right: Callable[[Path], None]) -> Path:
    """Downloads an archive into the cache.

    Args:
        requirement: Such as ``Box2D==2.3.2``.
        options: For pip.
        is_right: Ends the program if the archive is not what it must be.
    """
    cache = folders()[-1]
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options]
        if subprocess.run([*command, "--dest", folder, requirement], check=False).returncode != 0:
            sys.exit(
                f"{requirement} could not be downloaded. Without a network, put its archive into a "
                "folder and set ENVPOOL_SDIST_DIR to that."
            )
        (archive,) = Path(folder).iterdir()
        is_right(archive)
        return archive.replace(cache / archive.name)


def apply(patch: Path, folder: Path) -> None:
    """Edits the files of a unified diff, whose hunks must fit exactly where they say.

    Args:
        patch: Names its files ``b/src/file.cpp``, and begins with a text that says what it is for.
        folder: Where ``src`` is.
    """
    _, *files = re.split(rb"^--- a/.*\n\+\+\+ b/(.*)\n", patch.read_bytes(), flags=re.MULTILINE)
    if not files:
        sys.exit(f"{patch} has no line that begins with '--- a/', and so names no file to edit")
    for name, edits in zip(files[::2], files[1::2], strict=True):
        file = folder / name.decode()
        lines = file.read_bytes().split(b"\n") if file.is_file() else []
        # A hunk's second line number counts in the file as the hunks before have left it.
        _, *hunks = re.split(rb"^@@ -[\d,]+ \+(\d+).*\n", edits, flags=re.MULTILINE)
        for number, hunk in zip(hunks[::2], hunks[1::2], strict=True):
            rows = hunk.removesuffix(b"\n").split(b"\n")
            before = [row[1:] for row in rows if not row.startswith(b"+")]
            place = slice(int(number) - 1, int(number) - 1 + len(before))
            if lines[place] != before:
                sys.exit(f"{patch} does not apply to line {int(number)} of {file}")
            lines[place] = [row[1:] for row in rows if not row.startswith(b"-")]
        file.write_bytes(b"\n".join(lines))


def unpack_sdist(requirement: str, unpacked: Path, sha256: str, *patches: str) -> Path:
    """Unpacks a source distribution, and applies the patches to it.

    Args:
        requirement: Such as ``Box2D==2.3.2``.
        unpacked: An empty folder.
        sha256: What the archive must be.
        *patches: Applied in this order.

    Returns:
        The one folder that it consists of.
    """

    def is_right(archive: Path) -> None:
        if digest(archive) != sha256:
            sys.exit(f"{archive.name} has the SHA-256 {digest(archive)}, expected {sha256}")

    there = [path for path in found(requirement, ".tar.gz") if digest(path) == sha256]
    archive = there[0] if there else download(requirement, SDIST, is_right)
    with tarfile.open(archive) as tar:
        # Python before 3.11.4, as Debian's, has no filters; the checksum was right.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(unpacked)
    (top,) = unpacked.iterdir()
    for patch in patches:
        apply(Path(patch), top)
    return top


def unpack_wheel(requirement: str, unpacked: Path, *prefixes: str) -> Path:
    """Unpacks a part of a wheel, which pip has compared with the hash that the index tells.

    Args:
        requirement: Such as ``mujoco-core==4.0.0``.
        unpacked: An empty folder.
        *prefixes: What the names of the files begin with that are wanted.

    Returns:
        The folder.
    """
    system = {"darwin": "macosx"}.get(sys.platform, sys.platform)
    there = found(requirement, f"-*{system}*_{platform.machine()}.whl")
    archive = there[0] if there else download(requirement, WHEEL, lambda _: None)
    try:
        with zipfile.ZipFile(archive) as wheel:
            names = [name for name in wheel.namelist() if name.startswith(prefixes)]
            wheel.extractall(unpacked, names)
    except zipfile.BadZipFile as error:
        sys.exit(f"{archive} is damaged: {error}")
    for prefix in prefixes:
        if not any(name.startswith(prefix) for name in names):
            sys.exit(f"{archive} has no files whose names begin with {prefix}")
    return unpacked


def main(kind: str, requirement: str, folder: str, *rest: str) -> None:
    """Leaves what is unpacked in a folder.

    Args:
        kind: ``sdist`` or ``wheel``.
        requirement: The package and its version.
        folder: Must not exist yet.
        *rest: As :func:`unpack_sdist` or :func:`unpack_wheel` says.
    """
    unpack = {"sdist": unpack_sdist, "wheel": unpack_wheel}[kind]
    target = Path(folder)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        unpacked = Path(scratch) / "unpacked"
        unpacked.mkdir()
        # All of it or nothing, should this be interrupted.
        unpack(requirement, unpacked, *rest).rename(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
