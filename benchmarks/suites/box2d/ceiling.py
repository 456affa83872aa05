"""Bare threads that step LunarLander's world: Python's side of `ceiling.cpp`.

Needs the packages `gymnasium` and `box2d`.
"""

import importlib

import numpy as np

import cmake_build
from ceiling import Ceiling, SampleActions, open_native
from makers import Order

TASK = "LunarLander-v3"
TARGET = "box2d_ceiling"


def prepare() -> None:
    """Compile the library, or what has changed of it."""
    cmake_build.build(TARGET)


def open_ceiling(sample_actions: SampleActions, order: Order) -> Ceiling:
    """See `open_native`."""
    if order.task != TASK:
        raise ValueError(f"the ceiling is of {TASK}")
    env = importlib.import_module("gymnasium").make(TASK)
    env.close()
    library = cmake_build.library(TARGET)
    return open_native(library, (), env.action_space, np.int32, sample_actions, order)
