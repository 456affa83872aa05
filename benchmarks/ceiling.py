"""Bare threads that step a simulator and do nothing else: what no vector environment can beat.

Python's side of `ceiling.h`, for all simulators.
"""

import ctypes
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from makers import Order

CACHE = Path.home() / ".cache" / "envpool-benchmarks"
ERROR_SIZE = 1000

Array = NDArray[Any]
SampleActions = Callable[[Any, int, np.dtype[Any], int], list[Array]]
Simulator = tuple[bytes | ctypes.Structure, ...]


class Actions(ctypes.Structure):
    """Actions of every environment, batch after batch."""

    _fields_ = (
        ("values", ctypes.c_void_p),
        ("num_batches", ctypes.c_int),
        ("num_envs", ctypes.c_int),
        ("action_bytes", ctypes.c_int),
    )


class Ceiling:
    """A bench like those of `worker.py`, but all of it is native."""

    reset_seconds = 0.0
    """Part of making."""

    def __init__(
        self,
        library: Path,
        simulator: Simulator,
        actions: Array,
        steps_per_call: int,
        num_threads: int,
    ) -> None:
        """`simulator` is what its `ceiling_open` is given first; `actions[b, i]` is one action."""
        self.action_dtype = actions.dtype
        # Kept, because the library does not copy them.
        self._actions = actions
        self._steps_per_call = steps_per_call
        self._library = load(library)
        error = ctypes.create_string_buffer(ERROR_SIZE)
        start = time.perf_counter()
        self._pool = self._library.ceiling_open(
            *simulator,
            Actions(actions.ctypes.data, *actions.shape[:2], actions[0, 0].nbytes),
            num_threads,
            error,
            ERROR_SIZE,
        )
        self.make_seconds = time.perf_counter() - start
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


def open_native(
    library: Path,
    simulator: Simulator,
    space: Any,
    action_type: Any,
    sample_actions: SampleActions,
    order: Order,
) -> Ceiling:
    """The ceiling of a simulator, for actions of `space` in the type that it takes."""
    order.refuse("the ceiling", frames=True)
    dtype = np.dtype(action_type)
    actions = sample_actions(space, order.num_envs, dtype, order.action_batches)
    num_threads = order.options["num_threads"]
    return Ceiling(library, simulator, np.stack(actions), order.steps_per_call, num_threads)


def load(path: Path) -> ctypes.CDLL:
    """The compiled library."""
    library = ctypes.CDLL(str(path))
    # What it is given says its types itself, and differs between simulators.
    library.ceiling_open.restype = ctypes.c_void_p
    library.ceiling_run.restype = ctypes.c_int64
    library.ceiling_run.argtypes = (ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p)
    library.ceiling_step_each.restype = None
    library.ceiling_step_each.argtypes = (ctypes.c_void_p, ctypes.c_int)
    library.ceiling_close.restype = None
    library.ceiling_close.argtypes = (ctypes.c_void_p,)
    return library
