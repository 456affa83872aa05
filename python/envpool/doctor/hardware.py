"""Processors, memory, and what draws: OpenGL and displays."""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Iterator
from ctypes.util import find_library

from envpool.doctor.finding import OK, PROBLEM, REMARK, Finding
from envpool.errors import install
from envpool.machine import VARIABLE as NUM_THREADS
from envpool.machine import cores, demanded, processor, quotas, usable_cores
from envpool.oracles.opengl import BACKENDS, why_not
from envpool.oracles.opengl import VARIABLE as OPENGL

_LITTLE_MEMORY = 2**30
# The library of each backend, and the command that installs it.
_LIBRARIES = {"egl": ("EGL", "apt install libegl1"), "osmesa": ("OSMesa", "apt install libosmesa6")}


def processors() -> Iterator[Finding]:
    """The numbers that ``num_threads`` follows from, and memory."""
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
    yield _num_threads()
    try:
        text = f"{cores()} in a pool, by default"
        yield Finding("num_threads", text)
    except ValueError:
        yield Finding("num_threads", f"{usable_cores()}, once {NUM_THREADS} is fixed")
    yield _memory()


def _num_threads() -> Finding:
    try:
        number = demanded()
    except ValueError as error:
        return Finding(NUM_THREADS, str(error), PROBLEM)
    return Finding(NUM_THREADS, "not set" if number is None else f"{number}")


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


def opengl() -> Iterator[Finding]:
    """Offscreen OpenGL by drawing a tiny picture with each, in processes of their own."""
    if importlib.util.find_spec("mujoco") is None:
        yield Finding("offscreen", "not tried: it needs MuJoCo", REMARK, install("mujoco"))
    else:
        reasons = {backend: why_not(backend) for backend in BACKENDS}
        for backend, reason in reasons.items():
            text = reason.splitlines()[0] if reason else "draws"
            needed = all(reasons.values())
            state = OK if not reason else PROBLEM if needed else REMARK
            library, command = _LIBRARIES[backend]
            is_missing = bool(reason) and not find_library(library)
            yield Finding(backend, text, state, command if is_missing else "")
    yield _opengl()
    yield _display()


def _opengl() -> Finding:
    value = os.environ.get(OPENGL)
    if value is None:
        return Finding(OPENGL, "not set: EGL is tried, then OSMesa")
    if value.strip().lower() in (*BACKENDS, ""):
        return Finding(OPENGL, value)
    return Finding(OPENGL, f"{value}: not offscreen; {' or '.join(BACKENDS)} would be", REMARK)


def _display() -> Finding:
    found = [name for name in ("DISPLAY", "WAYLAND_DISPLAY") if os.environ.get(name)]
    if found:
        return Finding("display", ", ".join(f"{name}={os.environ[name]}" for name in found))
    return Finding("display", 'none: no windows of render_mode="human"', REMARK)
