"""OpenGL for tests of MuJoCo's pictures: what draws with it upstream."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from envpool.oracles.opengl import find_backend

# Pictures in a hundredth of the time, where it doesn't matter what they show.
FAST = {"render_shadows": False, "render_reflections": False, "render_multisamples": 0}


def make_context(width: int = 64, height: int = 64) -> Any:
    """A context of MuJoCo's Python package, from the same backend as ours."""
    module = importlib.import_module(f"mujoco.{find_backend()[0]}")
    return module.GLContext(width, height)


def assert_same_picture(ours: np.ndarray, theirs: np.ndarray) -> None:
    """The same pixels, and more than one colour: else nothing could differ."""
    assert (ours.dtype, ours.shape) == (np.uint8, theirs.shape)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.size <= 3 or ours.min() < ours.max()


def their_picture(env: Any) -> np.ndarray:
    """What Gymnasium's environment draws of itself."""
    from envpool.oracles.mujoco import picture  # which needs MuJoCo

    return picture(env)


def let_dm_control_draw(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    """With the same driver as ours; else it has one of its own choice since it was imported."""
    module = importlib.import_module(f"dm_control._render.pyopengl.{backend}_renderer")
    context = module.EGLContext if backend == "egl" else module.OSMesaContext
    monkeypatch.setattr("dm_control._render.Renderer", context)
