"""How many threads or processes a pool has where nobody says it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

from envpool.errors import ArgumentError, shown

VARIABLE = "ENVPOOL_NUM_THREADS"
MOST_THREADS = 4096


def cores() -> int:
    """How many threads this process shall have at work: ``ENVPOOL_NUM_THREADS``, or usable cores.

    Raises:
        ArgumentError: The variable is no positive integer, or too large (also a ValueError).
    """
    return demanded() or usable_cores()


def demanded() -> int | None:
    """What ``ENVPOOL_NUM_THREADS`` says, if anything.

    Raises:
        ArgumentError: It is no positive integer, or too large (also a ValueError).
    """
    value = os.environ.get(VARIABLE)
    if value is None:
        return None
    # No sign, underscore or other alphabet's digits, which int() takes.
    is_number = value.isascii() and value.isdigit() and len(value) <= len(str(MOST_THREADS))
    if not is_number or not 1 <= int(value) <= MOST_THREADS:
        raise ArgumentError(
            f"the environment variable {VARIABLE} is {shown(value)}, "
            f"expected an integer from 1 to {MOST_THREADS}"
        )
    return int(value)


def usable_cores(root: Path = Path("/")) -> int:
    """The cores that this process may run on, or what its control groups' CPU quotas amount to.

    A quota of one and a half cores counts as two: with one, half a core would never be used.

    Args:
        root: Where ``proc`` and ``sys`` are.
    """
    if hasattr(os, "sched_getaffinity"):
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count() or 1
    return min([allowed, *(max(1, math.ceil(quota)) for quota in _quotas(root))])


def _quotas(root: Path) -> Iterator[float]:
    """The quotas of this process's control groups and of those around them, in cores.

    In a container, the path that the kernel tells may be the host's, and only its root is mounted:
    what is not there says nothing.
    """
    mounts = root / "sys/fs/cgroup"
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            for group in (*_groups(mounts, path), *_groups(mounts / "unified", path)):
                yield from _quota_v2(group)
        elif "cpu" in controllers.split(","):
            for group in (*_groups(mounts / "cpu", path), *_groups(mounts / controllers, path)):
                yield from _quota_v1(group)


def _groups(mount: Path, path: str) -> Iterator[Path]:
    """A control group's folder and those around it, up to the mounted root."""
    parts = [part for part in path.split("/") if part not in ("", "..")]
    for depth in range(len(parts), -1, -1):
        yield mount.joinpath(*parts[:depth])


def _quota_v2(group: Path) -> Iterator[float]:
    quota, _, period = _read(group / "cpu.max").partition(" ")
    yield from _ratio(quota, period)


def _quota_v1(group: Path) -> Iterator[float]:
    yield from _ratio(_read(group / "cpu.cfs_quota_us"), _read(group / "cpu.cfs_period_us"))


def _ratio(quota: str, period: str) -> Iterator[float]:
    """What both say together, unless there is no limit: "max" in version 2, -1 in version 1."""
    if quota.strip().isdigit() and period.strip().isdigit() and int(period) > 0:
        yield int(quota) / int(period)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return ""
