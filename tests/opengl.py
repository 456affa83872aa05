"""OpenGL for tests of MuJoCo's pictures: which one there is, and what draws with it upstream."""

from __future__ import annotations

import functools
import importlib
import os
from typing import Any

import numpy as np

from helpers import run_python

# Pictures in a hundredth of the time, where it doesn't matter what they show.
FAST = {"render_shadows": False, "render_reflections": False, "render_multisamples": 0}

TINY_PICTURE = """
import envpool
pool = envpool.make("InvertedPendulum-v5", "gymnasium", num_envs=1,
                    render_mode="rgb_array", render_width=8, render_height=8)
pool.reset()
pool.render()
"""


@functools.cache
def find_backend() -> tuple[str, str]:
    """The value of ``MUJOCO_GL`` that works here, or else an empty one and why none does."""
    # In processes of their own: MuJoCo takes one backend per process, and drivers may crash.
    chosen = os.environ.get("MUJOCO_GL", "").strip().lower()
    reasons = []
    for name in ("egl", "osmesa"):
        if chosen in ("egl", "osmesa") and chosen != name:
            continue
        done = run_python(TINY_PICTURE, MUJOCO_GL=name)
        if done.returncode == 0:
            return name, ""
        reasons.append(done.stderr.partition("RuntimeError: ")[2] or done.stderr[-1000:])
    return "", "\n".join(reasons) or f"MUJOCO_GL={chosen}"


def make_context(width: int = 64, height: int = 64) -> Any:
    """A context of MuJoCo's Python package, from the same backend as ours."""
    module = importlib.import_module(f"mujoco.{find_backend()[0]}")
    return module.GLContext(width, height)


def their_picture(env: Any) -> np.ndarray:
    """What Gymnasium's environment draws of itself.

    Its viewers make their contexts current only once, so they draw into each other's.
    """
    env = env.unwrapped
    env.mujoco_renderer._get_viewer("rgb_array").make_context_current()
    return env.render()


def assert_same_picture(ours: np.ndarray, theirs: np.ndarray) -> None:
    """The same pixels, and more than one colour: else nothing could differ."""
    assert (ours.dtype, ours.shape) == (np.uint8, theirs.shape)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.size <= 3 or ours.min() < ours.max()
