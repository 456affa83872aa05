"""Bare threads that run Atari's consoles: Python's side of `atari_ceiling.cpp`.

Needs the packages `ale_py` and `gymnasium`.
"""

import importlib
import os
from typing import Any

import numpy as np

import cmake_build
from ceiling import Ceiling, SampleActions

TARGET = "atari_ceiling"


def build() -> None:
    """Compile the library, or what has changed of it; the first time takes minutes."""
    cmake_build.build(TARGET, atari=True)


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
    roms = importlib.import_module("ale_py.roms")
    env = importlib.import_module("gymnasium").make(f"ALE/{task}")
    game = env.spec.kwargs["game"]
    actions = sample_actions(env.action_space, num_envs, np.dtype(np.int32), action_batches)
    env.close()
    simulator = (game.encode(), os.fsencode(roms.get_rom_path(game)))
    return Ceiling(
        cmake_build.library(TARGET),
        simulator,
        np.stack(actions),
        batch_size or num_envs,
        options["num_threads"],
    )
