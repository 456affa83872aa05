"""Pools of several tasks in compiled programs. Not beside their other tests, which also run under
sanitizers: these would report what JAX's threads do."""

import numpy as np
import pytest

pytest.importorskip("jax")

import jax

import envpool
from helpers import assert_same_bytes

OBSTACLES = "MiniGrid-Dynamic-Obstacles-5x5-v0"
TASKS = {"MiniGrid-Empty-5x5-v0": 2, OBSTACLES: 3, "MiniGrid-DoorKey-5x5-v0": 2}


def test_programs_of_jax_take_it():
    pool, expected = (envpool.make_multi(TASKS, num_threads=2, seed=3) for _ in range(2))
    actions = np.array([0, 1, 2, 0, 1, 2, 2])
    pool.reset()
    expected.reset()
    handle, _, _, step = pool.xla()
    handle, (observation, *_, info) = jax.jit(step)(handle, actions)
    assert_same_bytes(np.asarray(observation["image"]), expected.step(actions)[0]["image"])
    assert info["task"].tolist() == [0, 0, 1, 1, 1, 2, 2]
    with pytest.raises(jax.errors.JaxRuntimeError, match=f"environment 2 is {OBSTACLES}"):
        jax.block_until_ready(jax.jit(step)(handle, np.full(7, 3, np.int32)))
    pool.close()
