"""Bare threads that run Atari's consoles: Python's side of `atari_ceiling.cpp`.

Needs the packages `ale_py` and `gymnasium`, and to be built also `cmake`, `ninja` and `mujoco`.
"""

import hashlib
import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ceiling import CACHE, Ceiling, SampleActions

ROOT = Path(__file__).parents[1]
# Each checkout has its own, because CMake remembers where its sources are.
BUILD = CACHE / f"cmake-{hashlib.sha256(bytes(ROOT)).hexdigest()[:16]}"
LIBRARY = BUILD / "benchmarks" / "atari_ceiling.so"


def build() -> None:
    """Compile the library, or what has changed of it; the first time takes minutes."""
    # A virtual environment that is not activated still has its own CMake.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    options = [f"-DPython_EXECUTABLE={sys.executable}", "-DENVPOOL_PYTHON=OFF"]
    options += ["-DENVPOOL_BENCHMARKS=ON"]
    for command in (
        ["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", str(BUILD), *options],
        ["cmake", "--build", str(BUILD), "--target", "atari_ceiling"],
    ):
        done = subprocess.run(
            command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"the ceiling does not build:\n{done.stdout}{done.stderr}")


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
        LIBRARY, simulator, np.stack(actions), batch_size or num_envs, options["num_threads"]
    )
