"""Pools inside compiled JAX programs: ``recv``, ``send``, ``step`` and ``reset`` for its jit.

The native side (cpp/xla) has one handler for each of these, for all pools of the process, and
another one for programs on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.flavours.arguments import split_fields
from envpool.flavours.final_rows import merge_final
from envpool.flavours.jax_handlers import call_handler, import_jax
from envpool.spec.fields import leaves_of, map_leaves
from envpool.spec.plans import Plan, Plans
from envpool.spec.values import AutoresetMode, parse_mode, seeds_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from envpool.spec.env_spec import EnvSpec
    from envpool.spec.fields import Field

_MOST_32 = 2**32


class XlaInterface:
    """The functions that ``xla()`` and ``xla_reset()`` of a pool return.

    They keep the pool alive; programs that were compiled with them do not.

    Args:
        spec: What the pool is made of.
        native: The pool. After its ``close()``, programs fail.
        plans: What its results look like.
        to_output: Turns these into what the pool's flavour returns; a method of the pool.
    """

    def __init__(
        self,
        spec: EnvSpec,
        native: _core.Pool,
        plans: Plans,
        to_output: Callable[[tuple[Any, ...]], Any],
    ) -> None:
        self._jax: Any = import_jax()
        self._spec = spec
        self._to_output = to_output
        mode = parse_mode(spec.config.autoreset_mode)
        self._has_finals = mode is AutoresetMode.SAME_STEP
        self._step_plan = plans["final_step" if self._has_finals else "step"]
        self._reset_plan = plans["reset"]
        self._columns = native.columns()
        columns = _columns_of(self._step_plan), _columns_of(self._reset_plan)
        self._id = np.int64(native.open_port(*columns, spec.known.seed_bits))
        self._num_envs: int = spec.config.num_envs
        self._batch_size: int = spec.config.batch_size
        self._is_async = self._batch_size != self._num_envs

    @property
    def handle(self) -> NDArray[np.uint8]:
        """The handle that all functions take first and return first: uint8 of shape (8,)."""
        return np.frombuffer(self._id.astype("<i8").tobytes(), np.uint8).copy()

    def recv(self, handle: Any) -> tuple[Any, Any]:
        """Waits for the next batch of results.

        Args:
            handle: What the last call returned.

        Returns:
            The handle, and what the pool's ``recv`` returns.
        """
        return self._results("recv", handle, [], self._batch_size)

    def send(self, handle: Any, action: Any, env_id: Any = None) -> Any:
        """Starts steps; arguments as for :meth:`step`, returns the handle."""
        arguments, _ = self._request(action, env_id)
        return call_handler("send", self._id, handle, arguments, ())[0]

    def step(self, handle: Any, action: Any, env_id: Any = None) -> tuple[Any, Any]:
        """Steps environments and waits for a batch of results.

        Args:
            handle: What the last call returned.
            action: As for the pool's ``step``. Integers and bools are accepted for each other, and
                for floating-point numbers.
            env_id: Integers of shape (n,); all environments if left out.

        Returns:
            The handle, and what the pool's ``step`` returns.

        Raises:
            TypeError: A dtype cannot be used for actions or ids.
            ValueError: A shape is wrong. (A wrong value of an action or id is only found when the
                program runs, and becomes a JaxRuntimeError.)
        """
        arguments, rows = self._request(action, env_id)
        return self._results(
            "step", handle, arguments, self._batch_size if self._is_async else rows
        )

    def reset(self, handle: Any, mask: Any = None, seed: Any = None) -> tuple[Any, Any]:
        """Starts new episodes.

        Args:
            handle: What the last call returned.
            mask: The environments to reset, bool of shape (num_envs,); all of them if left out. An
                asynchronous pool resets all.
            seed: Reseeds their random generators: an integer s, which gives each environment
                s + env_id, or integers of shape (num_envs,). Without it they continue from where
                they are.

        Returns:
            The handle, and what the pool's ``reset`` returns. In a synchronous pool there is a row
            for every environment, with the current observations of those that were not reset.

        Raises:
            TypeError, ValueError: A dtype or shape is wrong.
        """
        arguments = [self._mask(mask)]
        if seed is not None:
            arguments.append(self._seed(seed))
        plan, rows = self._reset_plan, self._batch_size
        handle, filled = self._call("reset", handle, arguments, plan, rows)
        return handle, self._to_output(filled)

    def _request(self, action: Any, env_id: Any) -> tuple[list[Any], int]:
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

    def _mask(self, mask: Any) -> Any:
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

    def _seed(self, seed: Any) -> Any:
        """An integer, or one for each environment; JAX mostly has no more than 32 bits of it."""
        jax = self._jax
        if isinstance(seed, int | np.integer | np.ndarray | list | tuple):
            seeds = seeds_for(seed, range(self._num_envs), self._num_envs)
            if jax.config.jax_enable_x64:
                return jax.numpy.asarray(seeds, np.uint64)
            if max(seeds) >= _MOST_32:
                raise ArgumentError(
                    f"seed is {max(seeds)}, expected seed < 2**32: more needs JAX's option "
                    "jax_enable_x64"
                )
            return jax.numpy.asarray(seeds, np.uint32)
        seed = jax.numpy.asarray(seed)
        if not jax.numpy.issubdtype(seed.dtype, np.integer):
            raise TypeError(f"seed has dtype {seed.dtype}, expected integers")
        if seed.shape not in ((), (self._num_envs,)):
            raise ArgumentError(f"seed has shape {seed.shape}, expected () or ({self._num_envs},)")
        return seed

    def _results(self, name: str, handle: Any, arguments: list[Any], rows: int) -> tuple[Any, Any]:
        """Calls a handler whose results are those of a step."""
        handle, filled = self._call(name, handle, arguments, self._step_plan, rows)
        if self._has_finals:
            filled = merge_final(filled, self._pick, self._masked)
        return handle, self._to_output(filled)

    def _call(
        self, name: str, handle: Any, arguments: list[Any], plan: Plan, rows: int
    ) -> tuple[Any, Any]:
        """Calls a handler; returns the handle, and results with so many environments' rows."""
        columns = _columns_of(plan)
        types = [self._type(column, rows) for column in columns]
        handle, arrays = call_handler(name, self._id, handle, arguments, types)
        return handle, map_leaves(dict(zip(columns, arrays, strict=True)).__getitem__, plan)

    def _type(self, column: str, rows: int) -> Any:
        dtype, shape, per_player, _ = self._columns[column]
        length = rows * self._spec.spaces.most_players if per_player else rows
        # What has 64 bits has 32 where JAX does; the handler converts it.
        dtype = self._jax.dtypes.canonicalize_dtype(dtype)
        return self._jax.ShapeDtypeStruct((length, *shape), dtype)

    def _pick(self, observation: Any, ended: Any) -> Any:
        """Final observations with 0 in rows without any.

        Unlike those of NumPy's interface they are always there, because a program's arrays are, and
        are no objects.
        """
        return self._jax.tree.map(lambda rows: self._where(ended, rows), observation)

    def _masked(self, info: dict[str, Any], mask: Any) -> dict[str, Any]:
        """Infos with 0 where the mask is not, and masks."""
        result: dict[str, Any] = {}
        for key, value in info.items():
            inner = isinstance(value, dict)
            result[key] = self._masked(value, mask) if inner else self._where(mask, value)
            result[f"_{key}"] = mask
        return result

    def _where(self, mask: Any, rows: Any) -> Any:
        mask = mask.reshape((-1,) + (1,) * (rows.ndim - 1))
        return self._jax.numpy.where(mask, rows, np.zeros((), rows.dtype))


def _columns_of(plan: Plan) -> list[str]:
    """The columns of results that look so, each once."""
    return list(dict.fromkeys(leaves_of(plan)))
