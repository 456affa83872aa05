"""The OpenGL that draws here, tried in processes of its own: drivers may crash or hang."""

from __future__ import annotations

import functools
import os
import subprocess
import sys

# As MuJoCo and dm_control call them, and we do.
BACKENDS = ("egl", "osmesa")
VARIABLE = "MUJOCO_GL"

TINY_PICTURE = """
import envpool
pool = envpool.make("InvertedPendulum-v5", "gymnasium", num_envs=1,
                    render_mode="rgb_array", render_width=8, render_height=8)
pool.reset()
pool.render()
"""
_PATIENCE_S = 60.0


@functools.cache
def find_backend() -> tuple[str, str]:
    """The value of ``MUJOCO_GL`` that works here, or else an empty one and why none does."""
    chosen = os.environ.get(VARIABLE, "").strip().lower()
    reasons = []
    for name in BACKENDS:
        if chosen in BACKENDS and chosen != name:
            continue
        reason = why_not(name)
        if not reason:
            return name, ""
        reasons.append(reason)
    return "", "\n".join(reasons)


def why_not(backend: str) -> str:
    """Why a backend draws nothing; empty if it does.

    Args:
        backend: One of :data:`BACKENDS`.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", TINY_PICTURE],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
            env=os.environ | {VARIABLE: backend},
        )
    except subprocess.TimeoutExpired:
        return f"it did not draw a picture within {_PATIENCE_S:g} s"
    if done.returncode == 0:
        return ""
    said = done.stderr.partition("RuntimeError: ")[2] or done.stderr.strip().rpartition("\n")[2]
    return said.strip() or f"it ended its process with exit status {done.returncode}"
