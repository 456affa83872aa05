"""JaxArguments: what the functions of a pool are called with in JAX programs, checked."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool.errors import ArgumentError, shown
from envpool.flavours.arguments import split_fields
from envpool.flavours.jax_handlers import import_jax
from envpool.spec.values import check_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from envpool.spec.env_spec import EnvSpec
    from envpool.spec.fields import Field

_MOST_32 = 2**32


class JaxArguments:
    """Makes arrays for handlers of what callers give; exceptions as for :class:`XlaInterface`.

    Args:
        spec: What the pool is made of.
    """

    def __init__(self, spec: EnvSpec) -> None:
        self._jax: Any = import_jax()
        self._spec = spec
        self._num_envs: int = spec.config.num_envs
        self._is_async = spec.config.batch_size != self._num_envs

    def request(self, action: Any, env_id: Any) -> tuple[list[Any], int]:
        """The arrays that a step takes, and how many environments it steps."""
        if isinstance(action, dict):
            action, env_id, _ = split_fields(self._spec, action, env_id)
        fields = self._spec.spaces.action_fields
        values = (action,) if len(fields) == 1 else action
        if not isinstance(values, tuple) or len(values) != len(fields):
            raise TypeError(f"action is {shown(action)}, expected {len(fields)} arrays in a tuple")
        arguments = []
        rows = self._num_envs
        if env_id is not None:
            arguments.append(self._ids(env_id))
            rows = arguments[0].shape[0]
        for field, value in zip(fields, values, strict=True):
            arguments.append(self._action(field, value, rows))
        return arguments, rows

    def _action(self, field: Field, value: Any, rows: int) -> Any:
        jax = self._jax
        # No derivative passes through an environment.
        array = jax.lax.stop_gradient(jax.numpy.asarray(value))
        name = field["name"]
        is_float = jax.numpy.issubdtype(array.dtype, np.floating)
        is_whole = jax.numpy.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_
        if not is_whole and not (is_float and np.dtype(field["dtype"]).kind == "f"):
            expected = "numbers" if np.dtype(field["dtype"]).kind == "f" else "integers"
            raise TypeError(f"{name} has dtype {array.dtype}, expected {expected}")
        length = rows * self._spec.spaces.most_players if field["per_player"] else rows
        if array.shape != (length, *field["shape"]):
            raise ArgumentError(
                f"{name} has shape {array.shape}, expected {(length, *field['shape'])}"
            )
        # NumPy has no such types, and neither have pools.
        if is_float and array.dtype not in (np.float32, np.float64):
            return array.astype(np.float32)
        return array

    def _ids(self, env_id: Any) -> Any:
        ids = self._jax.numpy.asarray(env_id)
        if not self._jax.numpy.issubdtype(ids.dtype, np.integer):
            raise TypeError(f"env_id has dtype {ids.dtype}, expected integers")
        if ids.ndim != 1:
            raise ArgumentError(f"env_id has shape {ids.shape}, expected (n,)")
        return ids.astype(np.int32)

    def mask(self, mask: Any) -> Any:
        """A bool for each environment; None: all of them."""
        if mask is None:
            return self._jax.numpy.ones(self._num_envs, np.bool_)
        if self._is_async:
            raise ArgumentError("mask is given, expected None: an asynchronous pool resets all")
        mask = self._jax.numpy.asarray(mask)
        if mask.dtype != np.bool_:
            raise TypeError(f"mask has dtype {mask.dtype}, expected bool")
        if mask.shape != (self._num_envs,):
            raise ArgumentError(f"mask has shape {mask.shape}, expected ({self._num_envs},)")
        return mask

    def seed(self, seed: Any) -> Any:
        """An integer, or one for each environment."""
        jnp = self._jax.numpy
        if isinstance(seed, int | np.integer):
            seed = np.asarray(check_seed(seed), np.uint64)
        if isinstance(seed, np.ndarray | list | tuple):
            seed = _narrowed(np.asarray(seed))
        seed = jnp.asarray(seed)
        if not jnp.issubdtype(seed.dtype, np.integer):
            raise TypeError(f"seed has dtype {seed.dtype}, expected integers")
        if seed.shape not in ((), (self._num_envs,)):
            raise ArgumentError(f"seed has shape {seed.shape}, expected () or ({self._num_envs},)")
        return seed


def _narrowed(seed: NDArray[Any]) -> NDArray[Any]:
    """Seeds in 32 bits, if they fit: JAX mostly has no more, and would cut them off.

    Raises:
        ValueError: They do not fit, and JAX has no more.
    """
    if seed.dtype.kind not in "iu" or seed.dtype.itemsize <= np.dtype(np.uint32).itemsize:
        return seed
    if seed.size and seed.min() < 0:
        raise ArgumentError(f"seed is {int(seed.min())}, expected seed >= 0")
    if not seed.size or seed.max() < _MOST_32:
        return seed.astype(np.uint32)
    if not importlib.import_module("jax").config.jax_enable_x64:
        raise ArgumentError(
            f"seed is {int(seed.max())}, expected seed < 2**32: more needs JAX's option "
            "jax_enable_x64"
        )
    return seed
