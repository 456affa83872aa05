"""The installed files beside what the wheel's RECORD says of them; none of them is loaded."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from envpool.doctor.finding import PROBLEM, REMARK, Finding

_OURS = "envpool-next"
_MEND = f"pip install --force-reinstall --no-deps {_OURS}"
_MOST = 20  # findings


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
    wrong = [
        (name, reason)
        for name, path, checksum, size in listed
        if (reason := _why_wrong(path, checksum, size))
    ]
    for name, reason in wrong[:_MOST]:
        yield Finding(name, reason, PROBLEM, _MEND)
    if len(wrong) > _MOST:
        yield Finding("others", f"{len(wrong) - _MOST} more files like these", PROBLEM, _MEND)
    if not wrong:
        yield Finding("files", f"{len(listed)}, all as they were installed")


def _is_editable(package: Distribution) -> bool:
    """True if the package is a folder of sources that somebody works on."""
    try:
        origin = json.loads(package.read_text("direct_url.json") or "{}")
        return bool(origin["dir_info"]["editable"])
    except (KeyError, TypeError, ValueError):
        return False


def _listed(package: Distribution) -> Iterator[tuple[str, Path, str, str]]:
    """The files with a hash that the package's RECORD names: name, path, hash and size.

    Python 3.12 and later leave what is missing out of ``package.files``.
    """
    for row in csv.reader((package.read_text("RECORD") or "").splitlines()):
        match row:
            case [name, checksum, size] if checksum:
                yield name, Path(str(package.locate_file(name))), checksum, size


def _why_wrong(path: Path, checksum: str, expected: str) -> str:
    """How a file differs from what was installed; empty if it does not."""
    if not path.is_file():
        return "is missing"
    size = path.stat().st_size
    if expected.isdigit() and size != int(expected):
        change = "is cut off" if size < int(expected) else "has grown"
        return f"{change}: {size} bytes, and {expected} were installed"
    mode, _, digest = checksum.partition("=")
    if mode not in hashlib.algorithms_available:
        return ""
    try:
        found = hashlib.new(mode, path.read_bytes()).digest()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "" if _text(found) == digest else "has other bytes than were installed"


def _text(digest: bytes) -> str:
    """A hash as RECORD has it."""
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
