"""The tasks of dm_control's suite compute the same bits as dm_control does."""

from __future__ import annotations

from ctypes import c_uint64

import mujoco
import numpy as np
import pytest

import envpool
from suite_oracle import TASKS, Pair, make_theirs

SEEDS = [0, 42, 2**32 - 1]


@pytest.mark.parametrize("name", TASKS)
def test_episodes_begin_as_dm_controls(name):
    pair = Pair(name, SEEDS[:2])
    for episode in range(3):
        pair.reset()
        for step in range(10):
            pair.step(f"step {step} of episode {episode}")


@pytest.mark.long
@pytest.mark.parametrize("name", TASKS)
def test_whole_episodes_are_dm_controls(name):
    pair = Pair(name, SEEDS)
    pair.reset()
    ended = 0
    for step in range(3003):
        ended += pair.step(f"step {step}")
    assert ended == 3


def hash_of(data: bytes) -> int:
    """FNV-1a, as the native library has it."""
    result = 0xCBF29CE484222325
    for byte in data:
        result = ((result ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return c_uint64(result).value


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", TASKS)
def test_models_have_dm_controls_bytes(name):
    model = make_theirs(name, 0).physics.model.ptr
    if name.startswith("Lqr"):  # drawn for each environment, whose own it is here
        model.jnt_stiffness[:] = 20.0
    data = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    pool = envpool.make_gymnasium(name)
    pool.reset()
    expected = f"content of the model={hash_of(data.tobytes()):x}"
    assert expected.encode() in pool.get_state()[0]
