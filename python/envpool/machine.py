"""What is told of the machine beside measurements and differences."""

from __future__ import annotations

import platform
from pathlib import Path


def processor(proc: Path = Path("/proc")) -> str:
    """The processor's model name.

    Args:
        proc: Where Linux tells of it.
    """
    try:
        lines = (proc / "cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.processor() or platform.machine()
