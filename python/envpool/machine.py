"""This machine: its processor, the cores that a pool may use, installed packages."""

from __future__ import annotations

import importlib.util
import math
import os
import platform
import struct
from collections.abc import Iterator
from pathlib import Path

from envpool.errors import ArgumentError, shown

VARIABLE = "ENVPOOL_NUM_THREADS"
MOST_THREADS = 4096
_ELF_OF_64_BITS = b"\x7fELF\x02"
_ELF_HEADER = 64  # bytes
PACKAGE_FOLDER = str(Path(__file__).parent)  # the installed package's


def processor(proc: Path = Path("/proc")) -> str:
    """The processor's model name.

    Args:
        proc: Where Linux tells of it.
    """
    for line in text_of(proc / "cpuinfo").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.processor() or platform.machine()


def installed_version(package: str) -> str:
    """A package's version; empty if it is not installed.

    Args:
        package: Its name, as pip has it.
    """
    # Here, because it takes longer to load than all of `import envpool`.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return str(version(package))
    except PackageNotFoundError:
        return ""


def folder_of(package: str) -> Path | None:
    """Where a package is, without importing it.

    Args:
        package: As it is imported.
    """
    found = importlib.util.find_spec(package)
    locations = found.submodule_search_locations if found else None
    return Path(next(iter(locations))) if locations else None


def require_whole(library: str | Path) -> None:
    """Refuses a native library whose file is cut off: what it lacks would end the process.

    Args:
        library: The file. One that is no 64-bit ELF file is for the system to refuse.

    Raises:
        ImportError: It is shorter than its header says.
    """
    path = Path(library)
    try:
        with path.open("rb") as file:
            header, size = file.read(_ELF_HEADER), os.fstat(file.fileno()).st_size
    except OSError:
        return  # which is said better where it is loaded
    if len(header) < _ELF_HEADER or not header.startswith(_ELF_OF_64_BITS):
        return
    # The table of the sections, which is at the end.
    start, each, count = struct.unpack("<40xQ10x2H2x", header)
    if start + each * count > size:
        raise ImportError(
            f"{path} is cut off, at {size} bytes of {start + each * count}. Install its package "
            "again: pip install --force-reinstall --no-cache-dir, with its name"
        )


def require_folder(package: str, needed: str, tasks: str, command: str) -> Path:
    """Where a package is that has to have one version, without importing it.

    Args:
        package: As it is named where it is installed from.
        needed: The version.
        tasks: Whose tasks need it, for the message.
        command: What installs it, likewise.

    Raises:
        ImportError: It is not installed, or has another version.
    """
    folder = folder_of(package.replace("-", "_"))
    found = installed_version(package)
    if folder is None or found != needed:
        there = f"and {found} is installed" if found else "which is not installed"
        raise ImportError(f"{tasks} tasks need {package}=={needed}, {there}: {command}")
    return folder


def commit() -> str:
    """The commit that this package was built from; empty where that was no checkout of it."""
    return text_of(Path(__file__).with_name("commit.txt")).strip()


def own_version() -> str:
    """This package's version, with the commit if it is known: ``0.1.0+g85c71f0``.

    It ends with ``.dirty`` if there were changes that were not committed. The package's metadata
    have the first part only.
    """
    found, built_from = installed_version("envpool-next"), commit()
    return f"{found}+g{built_from}" if found and built_from else found


def cores() -> int:
    """The number of threads that shall work: ``ENVPOOL_NUM_THREADS``, or the usable cores.

    Raises:
        ArgumentError: The variable is no positive integer, or too large (also a ValueError).
    """
    return demanded() or usable_cores()


def demanded() -> int | None:
    """The number in ``ENVPOOL_NUM_THREADS``, if it is set.

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


def usable_cores(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int:
    """The cores that this process may run on, or what its control groups' CPU quotas amount to.

    A quota of one and a half cores counts as two: with one, half a core would never be used.

    Args:
        proc: Where Linux tells of processes.
        groups: Where it has their control groups.
    """
    if hasattr(os, "sched_getaffinity"):
        allowed = len(os.sched_getaffinity(0))
    else:
        allowed = os.cpu_count() or 1
    return min([allowed, *(max(1, math.ceil(quota)) for quota in quotas(proc, groups))])


def quotas(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> Iterator[float]:
    """The quotas of this process's control groups and of those around them, in cores.

    Args:
        proc: Where Linux tells of processes.
        groups: Where it has their control groups.
    """
    for version, group in control_groups("cpu", proc, groups):
        if version == 1:
            quota = text_of(group / "cpu.cfs_quota_us")
            period = text_of(group / "cpu.cfs_period_us")
        else:
            quota, _, period = text_of(group / "cpu.max").partition(" ")
        # A text that is no number is no limit: "max" in version 2, -1 in version 1.
        if quota.strip().isdigit() and period.strip().isdigit() and int(period) > 0:
            yield int(quota) / int(period)


def control_groups(controller: str, proc: Path, groups: Path) -> Iterator[tuple[int, Path]]:
    """The version and the folder of each: the process's own one, then those around it.

    In a container, the path that the kernel tells may be the host's, of which only the last folder
    is there, as the root. So not all of these folders need to exist.

    Args:
        controller: What they limit: ``"memory"`` or ``"cpu"``.
        proc: Where Linux tells of processes.
        groups: Where it has their control groups.
    """
    for line in text_of(proc / "self" / "cgroup").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if not controllers:
            version, roots = 2, [groups, groups / "unified"]
        elif controller in controllers.split(","):
            version, roots = 1, [groups / controller, groups / controllers]
        else:
            continue
        names = [name for name in path.split("/") if name not in ("", "..")]
        for root in roots:
            for depth in range(len(names), -1, -1):
                yield version, root.joinpath(*names[:depth])


def text_of(path: Path) -> str:
    """The text of a file of the system's, or nothing; names in it may have any bytes."""
    try:
        return os.fsdecode(path.read_bytes())
    except OSError:
        return ""
