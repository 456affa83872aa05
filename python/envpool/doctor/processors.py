"""How many threads run here, and why so many; memory."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from envpool.doctor.finding import PROBLEM, REMARK, Finding
from envpool.machine import VARIABLE, cores, demanded, processor, quotas, usable_cores

_LITTLE_MEMORY = 2**30


def processors() -> Iterator[Finding]:
    """What ``num_threads`` follows from."""
    yield Finding("processor", f"{processor()}, {os.cpu_count()} cores")
    if hasattr(os, "sched_getaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        yield Finding("affinity", f"this process may run on {len(allowed)}: {_ranges(allowed)}")
    found = list(quotas())
    if found:
        text = f"a control group allows {min(found):g} cores' time"
        few = min(found) < (os.cpu_count() or 1)
        yield Finding("quota", text, REMARK if few else "ok")
    else:
        yield Finding("quota", "no control group limits it")
    yield _variable()
    try:
        text = f"{cores()} in a pool, by default"
        yield Finding("num_threads", text)
    except ValueError:
        yield Finding("num_threads", f"{usable_cores()}, once {VARIABLE} is fixed")
    yield _memory()


def _variable() -> Finding:
    try:
        number = demanded()
    except ValueError as error:
        return Finding(VARIABLE, str(error), PROBLEM)
    return Finding(VARIABLE, "not set" if number is None else f"{number}")


def _ranges(numbers: list[int]) -> str:
    """0-3, 8 for 0, 1, 2, 3, 8."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ", ".join("-".join(map(str, part)) for part in parts)


def _memory() -> Finding:
    from envpool.spec.memory import available_memory

    left = available_memory()
    if math.isinf(left):
        return Finding("memory", "nothing limits it")
    state = REMARK if left < _LITTLE_MEMORY else "ok"
    return Finding("memory", f"{left / 2**30:.1f} GiB are left", state)
