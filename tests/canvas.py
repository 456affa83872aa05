"""Pools of testing/Canvas-v0, whose pictures tell the states of its environments."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

import envpool.families.testing.registration  # noqa: F401 - registers the task
from helpers import GYMNASIUM
from helpers import make as make_task

N = 4
SIZE = (32, 24)  # Canvas's own
FLAVOURS = ("gymnasium", "gym", "dm")


# As test_vector_env.py and test_single_env.py.
strict = pytest.mark.skipif(GYMNASIUM < (1, 4), reason="for Gymnasium 1.4 and later")


def make(num_envs=N, env_type="gymnasium", **options):
    options.setdefault("render_mode", "rgb_array")
    return make_task("testing/Canvas-v0", num_envs, env_type, **options)


def paint(state, camera=-1, size=SIZE):
    """What cpp/envs/testing/canvas.cpp draws of an environment that observes this."""
    shade, step = (int(number) for number in state)
    y, x, channel = np.ogrid[: size[1], : size[0], :3]
    value = shade + 31 * step + 101 * max(camera, 0) + 3 * y + 5 * x + 64 * channel
    return value.astype(np.uint8)


def paint_all(states, **kwargs):
    return np.stack([paint(state, **kwargs) for state in states])


def assert_pictures(frames, expected):
    assert isinstance(frames, np.ndarray)
    assert (frames.dtype, frames.shape) == (np.uint8, expected.shape)
    np.testing.assert_array_equal(frames, expected)
    assert frames.flags.writeable
    assert frames.flags.c_contiguous


def actions(count=N):
    return np.zeros(count, int)


def states_of(result):
    """The observations of a reset or step of any flavour."""
    return result.observation.obs if hasattr(result, "observation") else result[0]


def make_vec(num_envs=N, **options):
    options.setdefault("render_mode", "rgb_array")
    return gymnasium.make_vec("envpool/testing-Canvas-v0", num_envs, **options)


def make_one(**options):
    options.setdefault("render_mode", "rgb_array")
    return gymnasium.make("envpool/testing-Canvas-v0", **options)
