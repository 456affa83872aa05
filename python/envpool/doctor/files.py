"""The installed files beside what the wheel's RECORD says of them; none of them is loaded."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, PackagePath, distribution
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
    listed = [file for file in package.files or () if file.hash is not None]
    if not listed:
        yield Finding("files", "no list of them was installed, to compare them with", REMARK)
        return
    wrong = [(str(file), reason) for file in listed if (reason := _why_wrong(file))]
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


def _why_wrong(file: PackagePath) -> str:
    """How a file differs from what was installed; empty if it does not."""
    path = Path(str(file.locate()))
    if not path.is_file():
        return "is missing"
    size = path.stat().st_size
    if file.size is not None and size != file.size:
        change = "is cut off" if size < file.size else "has grown"
        return f"{change}: {size} bytes, and {file.size} were installed"
    if file.hash is None or file.hash.mode not in hashlib.algorithms_available:
        return ""
    try:
        digest = hashlib.new(file.hash.mode, path.read_bytes()).digest()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "" if _text(digest) == file.hash.value else "has other bytes than were installed"


def _text(digest: bytes) -> str:
    """A hash as RECORD has it."""
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
