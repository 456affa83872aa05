"""Bare threads that step LunarLander's world: Python's side of `box2d_ceiling.cpp`.

Needs the packages `gymnasium` and `box2d`.
"""

import importlib
from typing import Any

import numpy as np

import cmake_build
from ceiling import Ceiling, SampleActions, open_native

TASK = "LunarLander-v3"
TARGET = "box2d_ceiling"


def build() -> None:
    """Compile the library, or what has changed of it."""
    cmake_build.build(TARGET)


def open_ceiling(sample_actions: SampleActions, task: str, **case: Any) -> Ceiling:
    """See `open_native`; `case` is the rest of it."""
    if task != TASK:
        raise ValueError(f"the ceiling is of {TASK}")
    env = importlib.import_module("gymnasium").make(task)
    env.close()
    library = cmake_build.library(TARGET)
    return open_native(library, (), env.action_space, np.int32, sample_actions, **case)
