"""Bare threads that step dm_control's models: Python's side of `dm_control_ceiling.cpp`.

Needs the packages `dm_control` and `gymnasium`, and a compiler.
"""

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

import dm_control_tasks
import mujoco_ceiling
from ceiling import Array, Ceiling, SampleActions, open_native

SOURCE = Path(__file__).with_name("dm_control_ceiling.cpp")
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


def open_ceiling(sample_actions: SampleActions, task: str, num_envs: int, **case: Any) -> Ceiling:
    """See `open_native`; `case` is the rest of it."""
    env = dm_control_tasks.load(task, seed=0)
    states = initial_states(env, num_envs)
    model = mujoco_ceiling.saved(env.physics.model.ptr)
    frame_skip = round(env.control_timestep() / env.physics.timestep())
    settling = SETTLING_STEPS.get(task, 0)
    definition = Task(len(model), states.ctypes.data, frame_skip, EPISODE_STEPS, settling)
    return open_native(
        mujoco_ceiling.build(SOURCE),
        (model, definition),
        dm_control_tasks.action_space(env),
        np.float64,
        sample_actions,
        num_envs,
        **case,
    )


def initial_states(env: Any, num_envs: int) -> Array:
    """Positions and velocities that so many episodes of dm_control's start with, a row each."""
    states = []
    for _ in range(num_envs):
        env.reset()
        states.append(np.concatenate([env.physics.data.qpos, env.physics.data.qvel]))
    return np.stack(states)
