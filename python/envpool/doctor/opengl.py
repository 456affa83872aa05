"""What MuJoCo's pictures are drawn with, and windows."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from ctypes.util import find_library

from envpool.doctor.finding import OK, PROBLEM, REMARK, Finding
from envpool.errors import install
from envpool.oracles.opengl import BACKENDS, VARIABLE, why_not

# Of each the library, and what installs it.
_LIBRARIES = {
    "egl": ("EGL", "apt install libegl1"),
    "osmesa": ("OSMesa", "apt install libosmesa6"),
}


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
    yield _variable()
    yield _display()


def _variable() -> Finding:
    value = os.environ.get(VARIABLE)
    if value is None:
        return Finding(VARIABLE, "not set: EGL is tried, then OSMesa")
    if value.strip().lower() in (*BACKENDS, ""):
        return Finding(VARIABLE, value)
    return Finding(VARIABLE, f"{value}: not offscreen; {' or '.join(BACKENDS)} would be", REMARK)


def _display() -> Finding:
    found = [name for name in ("DISPLAY", "WAYLAND_DISPLAY") if os.environ.get(name)]
    if found:
        return Finding("display", ", ".join(f"{name}={os.environ[name]}" for name in found))
    return Finding("display", 'none: no windows of render_mode="human"', REMARK)
