"""The control groups that this process is in, by which Linux limits memory and processors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


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
    """What is in a file of the system's, or nothing."""
    try:
        return path.read_text()
    except OSError:
        return ""
