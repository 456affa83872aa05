"""Bare threads that step LunarLander's world: Python's side of `box2d_ceiling.cpp`.

Needs the packages `gymnasium` and `box2d`.
"""

import importlib
from typing import Any

import numpy as np

import cmake_build
from ceiling import Ceiling, SampleActions

TASK = "LunarLander-v3"
TARGET = "box2d_ceiling"


def build() -> None:
    """Compile the library, or what has changed of it."""
    cmake_build.build(TARGET)


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
    if task != TASK or frames:
        raise ValueError(f"the ceiling is of {TASK}, and does not render")
    env = importlib.import_module("gymnasium").make(task)
    actions = sample_actions(env.action_space, num_envs, np.dtype(np.int32), action_batches)
    env.close()
    return Ceiling(
        cmake_build.library(TARGET),
        (),
        np.stack(actions),
        batch_size or num_envs,
        options["num_threads"],
    )
