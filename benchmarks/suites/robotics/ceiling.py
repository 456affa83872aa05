"""Bare threads that step robots' models: Python's side of `ceiling.cpp`.

Needs the packages `gymnasium-robotics` and `mujoco`, and a compiler.
"""

import ctypes
import importlib
from pathlib import Path
from typing import Any

import numpy as np

from ceiling import Array, Ceiling, SampleActions, open_native
from makers import Order
from suites.mujoco.ceiling import build, saved
from suites.robotics.tasks import register

SOURCE = Path(__file__).with_name("ceiling.cpp")


class Task(ctypes.Structure):
    """What the original's class of a task defines besides the model."""

    _fields_ = (
        ("model_bytes", ctypes.c_int64),
        ("states", ctypes.c_void_p),
        ("frame_skip", ctypes.c_int),
        ("max_episode_steps", ctypes.c_int),
        ("welded_body", ctypes.c_int),
        ("sets_velocity", ctypes.c_int),
    )


def open_ceiling(sample_actions: SampleActions, order: Order) -> Ceiling:
    """See `open_native`."""
    env = register().make(order.task)
    inner = env.unwrapped
    states = initial_states(inner, order.num_envs)
    model = saved(inner.model)
    simulator = inner if hasattr(inner, "n_substeps") else getattr(inner, "point_env", inner)
    definition = Task(
        len(model),
        states.ctypes.data,
        getattr(simulator, "n_substeps", None) or simulator.frame_skip,
        env.spec.max_episode_steps,
        welded_body(inner.model),
        sets_velocity=order.task.startswith("PointMaze"),
    )
    return open_native(
        build(SOURCE),
        (model, definition),
        env.action_space,
        np.float32,
        sample_actions,
        order,
    )


def welded_body(model: Any) -> int:
    """The body that a mocap body moves; -1 if there is none."""
    welds = (model.eq_obj1id, model.eq_obj2id)
    for one, other in (welds, welds[::-1]):
        for mocap, welded in zip(one, other, strict=True):
            if model.nmocap and model.body_mocapid[mocap] >= 0:
                return int(welded)
    return -1


def initial_states(env: Any, num_envs: int) -> Array:
    """What so many episodes of the original's start with, a row each."""
    mujoco = importlib.import_module("mujoco")
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    states = np.empty((num_envs, mujoco.mj_stateSize(env.model, kind)))
    for i, state in enumerate(states):
        env.reset(seed=i)
        mujoco.mj_getState(env.model, env.data, state, kind)
    return states
