"""Fetches a source distribution from the package index, checks it, unpacks it and patches it.

    python fetch_sdist.py Box2D==2.3.2 SHA256 FOLDER [PATCH...]

pip does the download, and so its settings of index, proxy and certificates hold. The archive stays
in a cache; without a network, put it into a folder and name that in ENVPOOL_SDIST_DIR. Patches are
applied here, because a machine that only builds a package may have neither `patch` nor `git`.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path


def cached(requirement: str, sha256: str, folders: list[Path]) -> Path | None:
    """The archive, if one of the folders has it.

    Args:
        requirement: Such as ``Box2D==2.3.2``.
        sha256: What the archive must be.
        folders: Where to look for it.
    """
    name, version = requirement.split("==")
    for folder in folders:
        for spelling in (name, name.replace("-", "_")):
            archive = folder / f"{spelling}-{version}.tar.gz"
            if archive.is_file() and digest(archive) == sha256:
                return archive
    return None


def digest(archive: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(archive.read_bytes()).hexdigest()


def download(requirement: str, sha256: str, cache: Path) -> Path:
    """Downloads the archive into the cache.

    Args:
        requirement: Such as ``Box2D==2.3.2``.
        sha256: What the archive must be.
        cache: A folder, made if need be.
    """
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        # pip also asks the package for its metadata. That needs the package's build backend, which
        # is among our own build requirements, and nothing else.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-binary", ":all:", "--no-build-isolation", "--dest", folder, requirement]
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit(
                f"{requirement} could not be downloaded. Without a network, put its source "
                "distribution into a folder and set ENVPOOL_SDIST_DIR to that."
            )
        (archive,) = Path(folder).iterdir()
        if digest(archive) != sha256:
            sys.exit(f"{archive.name} has the SHA-256 {digest(archive)}, expected {sha256}")
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


def main(requirement: str, sha256: str, folder: str, *patches: str) -> None:
    """Leaves the contents of the archive's one folder in ``folder``, with the patches applied.

    Args:
        requirement: Such as ``Box2D==2.3.2``.
        sha256: What the archive must be.
        folder: Must not exist yet.
        patches: Applied in this order.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "envpool"
    given = os.environ.get("ENVPOOL_SDIST_DIR")
    folders = [*([Path(given)] if given else []), cache]
    archive = cached(requirement, sha256, folders) or download(requirement, sha256, cache)
    target = Path(folder)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as unpacked:
        with tarfile.open(archive) as tar:
            # Python before 3.11.4, as Debian's, has no filters; the checksum was right.
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            tar.extractall(unpacked)
        (top,) = Path(unpacked).iterdir()
        for patch in patches:
            apply(Path(patch), top)
        top.rename(target)  # all of it or nothing, should this be interrupted


if __name__ == "__main__":
    main(*sys.argv[1:])
