"""Processors, memory, and what draws: OpenGL and displays."""

from __future__ import annotations

import importlib.util
import math
import os
import sys
from collections.abc import Iterator
from ctypes.util import find_library

from envpool.doctor.finding import PROBLEM, REMARK, Finding, judged
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
        yield Finding("affinity", f"this process may use {len(os.sched_getaffinity(0))} of them")
    least = min(quotas(), default=math.inf)
    allowed = f"a control group allows {least:g} cores' time"
    good = "no control group limits it" if math.isinf(least) else allowed
    yield judged("quota", good, allowed if least < (os.cpu_count() or 1) else "", REMARK)
    try:
        yield Finding(NUM_THREADS, f"{demanded() or 'not set'}")
        yield Finding("num_threads", f"{cores()} in a pool, by default")
    except ValueError as error:
        yield Finding(NUM_THREADS, str(error), PROBLEM)
        yield Finding("num_threads", f"{usable_cores()}, once {NUM_THREADS} is fixed")
    yield _memory()


def _memory() -> Finding:
    from envpool.spec.memory import available_memory

    left = available_memory()
    if math.isinf(left):
        return Finding("memory", "nothing limits it")
    text = f"{left / 2**30:.1f} GiB are left"
    return judged("memory", text, text if left < _LITTLE_MEMORY else "", REMARK)


def opengl() -> Iterator[Finding]:
    """Offscreen OpenGL by drawing a tiny picture with each, in processes of their own."""
    if importlib.util.find_spec("mujoco") is None:
        yield Finding("offscreen", "not tried: it needs MuJoCo", REMARK, install("mujoco"))
    else:
        reasons = {backend: why_not(backend) for backend in BACKENDS}
        state = PROBLEM if all(reasons.values()) else REMARK
        for backend, reason in reasons.items():
            library, command = _LIBRARIES[backend]
            mends = "" if sys.platform != "linux" or find_library(library) else command
            yield judged(backend, "draws", reason.partition("\n")[0], state, mends)
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
    found = {name: os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")}
    there = ", ".join(f"{name}={value}" for name, value in found.items() if value)
    bad = "" if there else 'none: no windows of render_mode="human"'
    return judged("display", there, bad, REMARK)
