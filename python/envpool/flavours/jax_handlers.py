"""The native handlers that programs of JAX call (cpp/xla): one for each function of a pool."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from envpool import _core
from envpool.flavours.native import expect_programs

HANDLE_BYTES = 8


@functools.cache
def import_jax() -> ModuleType:
    """JAX, which knows the handlers from now on.

    They are registered once: JAX does not recover from a name that stands for two functions.

    Raises:
        RuntimeError: It is not installed, or too old.
    """
    try:
        jax = importlib.import_module("jax")
        ffi: Any = importlib.import_module("jax.ffi")
    except ImportError as error:
        raise RuntimeError(
            f"xla() needs JAX, which does not load ({error}): pip install jax"
        ) from error
    for platform, handlers in _core.xla_handlers().items():
        for name, handler in handlers.items():
            ffi.register_ffi_target(_target(name), handler, platform=platform)
    expect_programs()
    return jax


def _target(name: str) -> str:
    return f"envpool_next_{name}"


def call_handler(
    name: str, pool: np.int64, handle: Any, arguments: Sequence[Any], types: Sequence[Any]
) -> tuple[Any, list[Any]]:
    """Calls a handler, whose first argument and result are the handle.

    Args:
        name: The handler.
        pool: The number of the pool's port.
        handle: What the last call of the pool has returned.
        arguments: What it is called with, all on one device.
        types: Those of its other results.

    Returns:
        The handle, and the other results.

    Raises:
        TypeError: There is another handle.
        NotImplementedError: ``jax.vmap`` maps over the call, as JAX itself says.
    """
    jax: Any = import_jax()
    handle = jax.numpy.asarray(handle)
    if handle.dtype != np.uint8 or handle.shape != (HANDLE_BYTES,):
        raise TypeError(
            f"handle is {handle.dtype} of shape {handle.shape}, expected the uint8 of shape "
            f"({HANDLE_BYTES},) that xla() and its functions return"
        )
    call = jax.ffi.ffi_call(
        _target(name),
        [jax.ShapeDtypeStruct(handle.shape, handle.dtype), *types],
        has_side_effect=True,
        input_output_aliases={0: 0},
    )
    # Without the barrier, XLA for GPUs (JAX 0.11) calls twice in a loop that stacks results: a
    # copy of the call becomes a part of the write to the stack, and the call itself stays.
    # On CPUs XLA copies no calls, so programs for them have no barrier.
    returned, *arrays = jax.lax.platform_dependent(
        *call(handle, *arguments, pool=pool),
        cuda=lambda *results: jax.lax.optimization_barrier(results),
        default=lambda *results: results,
    )
    return returned, arrays
