"""Bare threads that step MuJoCo: Python's side of `ceiling.cpp`.

Needs the packages `mujoco` and `gymnasium`, and a compiler.
"""

import ctypes
import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ceiling import CACHE, Ceiling, SampleActions, open_native
from makers import Order

HERE = Path(__file__).parent
BENCHMARKS = HERE.parents[1]
SOURCE = HERE / "ceiling.cpp"
COMMON = BENCHMARKS / "ceiling.cpp"
HEADERS = (BENCHMARKS / "ceiling.h", HERE / "bare_data.h")


class Task(ctypes.Structure):
    """What Gymnasium's class of a task defines besides the model."""

    _fields_ = (
        ("frame_skip", ctypes.c_int),
        ("max_episode_steps", ctypes.c_int),
        ("has_contact_forces", ctypes.c_int),
        ("reset_noise_scale", ctypes.c_double),
        ("min_z", ctypes.c_double),
        ("max_z", ctypes.c_double),
    )


def open_ceiling(sample_actions: SampleActions, order: Order) -> Ceiling:
    """See `open_native`."""
    env = importlib.import_module("gymnasium").make(order.task)
    simulator = (os.fsencode(env.unwrapped.fullpath), definition(env))
    env.close()
    return open_native(
        build(SOURCE), simulator, env.action_space, np.float32, sample_actions, order
    )


def definition(env: Any) -> Task:
    """The task of Gymnasium's environment `env`."""
    inner = env.unwrapped
    lowest, highest = getattr(inner, "_healthy_z_range", (-np.inf, np.inf))
    return Task(
        inner.frame_skip,
        env.spec.max_episode_steps,
        getattr(inner, "_include_cfrc_ext_in_observation", False),
        inner._reset_noise_scale,
        lowest,
        highest,
    )


def saved(model: Any) -> bytes:
    """A model as MuJoCo saves it."""
    mujoco = importlib.import_module("mujoco")
    data = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, data)
    return data.tobytes()


def build(source: Path) -> Path:
    """The file of this ceiling's library, compiled if the cache has none of it and the options."""
    sources = [source, COMMON]
    spec = importlib.util.find_spec("mujoco")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("the ceiling needs the package mujoco")
    mujoco = Path(spec.submodule_search_locations[0])
    engine = mujoco / f"libmujoco.so.{importlib.metadata.version('mujoco')}"
    command = [
        *shlex.split(os.environ.get("CXX", "c++")),
        "-std=c++20",
        "-O2",
        "-fPIC",
        "-shared",
        "-pthread",
        f"-I{mujoco / 'include'}",
        f"-I{BENCHMARKS}",
        *map(str, sources),
        str(engine),
        f"-Wl,-rpath,{mujoco}",
    ]
    contents = b"\0".join(path.read_bytes() for path in (*sources, *HEADERS))
    key = hashlib.sha256("\0".join(command).encode() + contents).hexdigest()[:16]
    library = CACHE / f"{source.parent.name}-{key}.so"
    if not library.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            built = Path(scratch) / library.name
            subprocess.run([*command, "-o", str(built)], check=True)
            built.replace(library)
    return library
