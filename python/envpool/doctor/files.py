"""The installed files beside what the wheel's RECORD says of them; none of them is loaded."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from envpool.doctor.finding import PROBLEM, REMARK, Finding

_OURS = "envpool-next"
_MEND = f"pip install --force-reinstall --no-deps {_OURS}"
_MOST = 20  # findings


class _Installed(NamedTuple):
    """A file as it was installed."""

    name: str
    path: Path
    size: int | None
    mode: str  # of the digest
    digest: str


def installed_files() -> Iterator[Finding]:
    """Files that are missing, cut off or changed since they were installed.

    A library that is cut off would end the process that loads it.
    """
    try:
        package = distribution(_OURS)
    except PackageNotFoundError:
        return  # which the versions tell
    if _is_editable(package):
        yield Finding("files", "an editable installation: they may change, and are not compared")
        return
    listed = list(_listed(package))
    if not listed:
        yield Finding("files", "no list of them was installed, to compare them with", REMARK)
        return
    wrong = [(file.name, reason) for file in listed if (reason := _why_wrong(file))]
    for name, reason in wrong[:_MOST]:
        yield Finding(name, reason, PROBLEM, _MEND)
    if len(wrong) > _MOST:
        yield Finding("others", f"{len(wrong) - _MOST} more files like these", PROBLEM, _MEND)
    if not wrong:
        yield Finding("files", f"{len(listed)}, all as they were installed")


def _is_editable(package: Distribution) -> bool:
    """Is the package a folder of sources that somebody works on?"""
    try:
        origin = json.loads(package.read_text("direct_url.json") or "{}")
        return bool(origin["dir_info"]["editable"])
    except (KeyError, TypeError, ValueError):
        return False


def _listed(package: Distribution) -> Iterator[_Installed]:
    """The files with a hash that the package's RECORD names.

    Python 3.12 and later leave what is missing out of ``package.files``.
    """
    for row in csv.reader((package.read_text("RECORD") or "").splitlines()):
        match row:
            case [name, checksum, size] if checksum:
                path = Path(str(package.locate_file(name)))
                mode, _, digest = checksum.partition("=")
                yield _Installed(name, path, int(size) if size.isdigit() else None, mode, digest)


def _why_wrong(file: _Installed) -> str:
    """How a file differs from what was installed; empty if it does not."""
    if not file.path.is_file():
        return "is missing"
    size = file.path.stat().st_size
    if file.size is not None and size != file.size:
        change = "is cut off" if size < file.size else "has grown"
        return f"{change}: {size} bytes, and {file.size} were installed"
    if file.mode not in hashlib.algorithms_available:
        return ""
    try:
        digest = hashlib.new(file.mode, file.path.read_bytes()).digest()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "" if _text(digest) == file.digest else "has other bytes than were installed"


def _text(digest: bytes) -> str:
    """A hash as RECORD has it."""
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
