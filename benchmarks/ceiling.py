"""Bare threads that step MuJoCo and do nothing else: what no vector environment can beat.

Python's side of `mujoco_ceiling.cpp`. Needs the packages `mujoco` and `gymnasium`, and a compiler.
"""

import ctypes
import hashlib
import importlib
import importlib.util
import os
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SOURCE = Path(__file__).with_name("mujoco_ceiling.cpp")
CACHE = Path.home() / ".cache" / "envpool-benchmarks"
ERROR_SIZE = 1000

Array = NDArray[Any]


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


class Actions(ctypes.Structure):
    """Actions of every environment, batch after batch."""

    _fields_ = (("values", ctypes.c_void_p), ("num_batches", ctypes.c_int))


class Ceiling:
    """A bench like those of `worker.py`, but all of it is native."""

    action_dtype = np.dtype(np.float32)

    def __init__(
        self,
        sample_actions: Callable[[Any, int, Any, int], list[Array]],
        task: str,
        num_envs: int,
        batch_size: int | None,
        options: dict[str, Any],
        frames: None,
        action_batches: int,
    ) -> None:
        if frames:
            raise ValueError("the ceiling does not render")
        self._steps_per_call = batch_size or num_envs
        env = importlib.import_module("gymnasium").make(task)
        # Kept, because the library does not copy them.
        self._actions = np.stack(
            sample_actions(env.action_space, num_envs, self.action_dtype, action_batches)
        )
        error = ctypes.create_string_buffer(ERROR_SIZE)
        self._library = load()
        start = time.perf_counter()
        self._pool = self._library.ceiling_open(
            os.fsencode(env.unwrapped.fullpath),
            definition(env),
            Actions(self._actions.ctypes.data, action_batches),
            num_envs,
            options["num_threads"],
            error,
            ERROR_SIZE,
        )
        self.make_seconds = time.perf_counter() - start
        env.close()
        if not self._pool:
            raise RuntimeError(error.value.decode(errors="replace"))

    def advance(self, steps: int) -> None:
        self._library.ceiling_step_each(self._pool, steps)

    def round(self, seconds: float) -> dict[str, Any]:
        elapsed = ctypes.c_double()
        cpu_start = time.process_time()
        steps = self._library.ceiling_run(self._pool, seconds, ctypes.byref(elapsed))
        return {
            # There are none; so many would have been needed.
            "calls": steps / self._steps_per_call,
            "seconds": elapsed.value,
            "cpu_seconds": time.process_time() - cpu_start,
        }

    def close(self) -> None:
        self._library.ceiling_close(self._pool)


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


def load() -> ctypes.CDLL:
    """The compiled library."""
    library = ctypes.CDLL(str(build()))
    library.ceiling_open.restype = ctypes.c_void_p
    library.ceiling_open.argtypes = (
        ctypes.c_char_p,
        Task,
        Actions,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_int,
    )
    library.ceiling_run.restype = ctypes.c_int64
    library.ceiling_run.argtypes = (ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p)
    library.ceiling_step_each.restype = None
    library.ceiling_step_each.argtypes = (ctypes.c_void_p, ctypes.c_int)
    library.ceiling_close.restype = None
    library.ceiling_close.argtypes = (ctypes.c_void_p,)
    return library


def build() -> Path:
    """The library's file, compiled if the cache has none of this source and these options."""
    spec = importlib.util.find_spec("mujoco")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("the ceiling needs the package mujoco")
    mujoco = Path(spec.submodule_search_locations[0])
    engine = next(mujoco.glob("libmujoco.so.*"))
    command = [
        *shlex.split(os.environ.get("CXX", "c++")),
        "-std=c++20",
        "-O2",
        "-fPIC",
        "-shared",
        "-pthread",
        f"-I{mujoco / 'include'}",
        str(SOURCE),
        str(engine),
        f"-Wl,-rpath,{mujoco}",
    ]
    key = hashlib.sha256("\0".join(command).encode() + SOURCE.read_bytes()).hexdigest()[:16]
    library = CACHE / f"mujoco-ceiling-{key}.so"
    if not library.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            built = Path(scratch) / library.name
            subprocess.run([*command, "-o", str(built)], check=True)
            built.replace(library)
    return library
