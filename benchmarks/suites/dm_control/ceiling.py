"""Bare threads that step dm_control's models: Python's side of `ceiling.cpp`.

Needs the packages `dm_control` and `gymnasium`, and a compiler.
"""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from ceiling import Array, Ceiling, SampleActions, open_native
from makers import Order
from suites.dm_control.tasks import action_space, load
from suites.mujoco.ceiling import build, saved

SOURCE = Path(__file__).with_name("ceiling.cpp")
EPISODE_STEPS = 1000  # in all tasks
# Sub-steps that a reset does.
SETTLING_STEPS = {"CheetahRun-v1": 200}


class Task(ctypes.Structure):
    """What dm_control defines besides the model."""

    _fields_ = (
        ("model_bytes", ctypes.c_int64),
        ("states", ctypes.c_void_p),
        ("frame_skip", ctypes.c_int),
        ("max_episode_steps", ctypes.c_int),
        ("settling_steps", ctypes.c_int),
    )


def open_ceiling(sample_actions: SampleActions, order: Order) -> Ceiling:
    """See `open_native`."""
    env = load(order.task, seed=0)
    states = initial_states(env, order.num_envs)
    model = saved(env.physics.model.ptr)
    frame_skip = round(env.control_timestep() / env.physics.timestep())
    settling = SETTLING_STEPS.get(order.task, 0)
    definition = Task(len(model), states.ctypes.data, frame_skip, EPISODE_STEPS, settling)
    return open_native(
        build(SOURCE),
        (model, definition),
        action_space(env),
        np.float64,
        sample_actions,
        order,
    )


def initial_states(env: Any, num_envs: int) -> Array:
    """Positions and velocities that so many episodes of dm_control's start with, a row each."""
    states = []
    for _ in range(num_envs):
        env.reset()
        states.append(np.concatenate([env.physics.data.qpos, env.physics.data.qvel]))
    return np.stack(states)
