"""What the tests of xla() share."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax

from helpers import assert_same_bytes, leaves

# Also where JAX has a GPU: that is what test_xla_gpu.py is about.
jax.config.update("jax_default_device", jax.local_devices(backend="cpu")[0])


def rollout(step: Any, actions: Any) -> Any:
    """A compiled function of a handle: it takes these actions, and returns handle and results."""

    def run(handle: Any) -> Any:
        return lax.scan(step, handle, actions)

    return jax.jit(run)


def assert_same_values(ours: Any, theirs: Any) -> None:
    """Equal keys, shapes and values; what JAX has no 64 bits for is rounded."""
    mine, others = dict(leaves(to_numpy(ours))), dict(leaves(theirs))
    assert mine.keys() == others.keys()  # JAX sorts them
    for path, other in others.items():
        expected = other.astype(jax.dtypes.canonicalize_dtype(other.dtype))
        assert_same_bytes(mine[path], expected, path)


def to_numpy(results: Any) -> Any:
    return jax.tree.map(np.asarray, results)


def at(results: Any, step: int) -> Any:
    """One step of stacked results."""
    return jax.tree.map(lambda array: array[step], results)


def begun(*pools: Any) -> Any:
    """Resets pools; gives back the first one's handle and functions."""
    for pool in pools:
        pool.reset()
    return pools[0].xla()
