"""Bare threads that step dm_control's models: Python's side of `dm_control_ceiling.cpp`.

Needs the packages `dm_control` and `gymnasium`, and a compiler.
"""

import ctypes
import importlib
from pathlib import Path
from typing import Any

import numpy as np

import dm_control_tasks
import mujoco_ceiling
from ceiling import Array, Ceiling, SampleActions

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


def open_ceiling(
    sample_actions: SampleActions,
    task: str,
    num_envs: int,
    batch_size: int | None,
    options: dict[str, Any],
    frames: None,
    action_batches: int,
) -> Ceiling:
    """A bench like those of `worker.py`, but all of it is native."""
    if frames:
        raise ValueError("the ceiling does not render")
    env = dm_control_tasks.load(task, seed=0)
    space = dm_control_tasks.action_space(env)
    actions = sample_actions(space, num_envs, np.dtype(np.float64), action_batches)
    states = initial_states(env, num_envs)
    model = compiled(env)
    frame_skip = round(env.control_timestep() / env.physics.timestep())
    settling = SETTLING_STEPS.get(task, 0)
    definition = Task(len(model), states.ctypes.data, frame_skip, EPISODE_STEPS, settling)
    num_threads = options["num_threads"]
    steps_per_call = batch_size or num_envs
    return Ceiling(build(), (model, definition), np.stack(actions), steps_per_call, num_threads)


def build() -> Path:
    """The library's file, compiled if the cache has none of this source."""
    return mujoco_ceiling.build(SOURCE)


def initial_states(env: Any, num_envs: int) -> Array:
    """Positions and velocities that so many episodes of dm_control's start with, a row each."""
    states = []
    for _ in range(num_envs):
        env.reset()
        states.append(np.concatenate([env.physics.data.qpos, env.physics.data.qvel]))
    return np.stack(states)


def compiled(env: Any) -> bytes:
    """The model of an environment, as MuJoCo saves it."""
    mujoco = importlib.import_module("mujoco")
    model = env.physics.model.ptr
    data = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    return data.tobytes()
