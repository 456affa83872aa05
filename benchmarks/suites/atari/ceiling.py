"""Bare threads that run Atari's consoles: Python's side of `ceiling.cpp`.

Needs the packages `ale_py` and `gymnasium`.
"""

import importlib
import os

import numpy as np

import cmake_build
from ceiling import Ceiling, SampleActions, open_native
from makers import Order

TARGET = "atari_ceiling"


def prepare() -> None:
    """Compile the library, or what has changed of it; the first time takes minutes."""
    cmake_build.build(TARGET)


def open_ceiling(sample_actions: SampleActions, order: Order) -> Ceiling:
    """See `open_native`."""
    roms = importlib.import_module("ale_py.roms")
    env = importlib.import_module("gymnasium").make(f"ALE/{order.task}")
    game = env.spec.kwargs["game"]
    env.close()
    simulator = (game.encode(), os.fsencode(roms.get_rom_path(game)))
    library = cmake_build.library(TARGET)
    return open_native(library, simulator, env.action_space, np.int32, sample_actions, order)
