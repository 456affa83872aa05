"""Pools inside compiled JAX programs: ``recv``, ``send``, ``step`` and ``reset`` for its jit.

The native side (cpp/xla) has one handler for each of these, for all pools of the process, and
another one for programs on a GPU.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.flavours.arguments import split_fields
from envpool.flavours.native import expect_programs
from envpool.spec.fields import map_leaves
from envpool.spec.plans import Plans
from envpool.spec.values import AutoresetMode, check_seed, parse_mode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from envpool.spec.env_spec import EnvSpec
    from envpool.spec.fields import Field

HANDLE_BYTES = 8
_MOST_32 = 2**32


@functools.cache
def _import_jax() -> ModuleType:
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


@functools.cache
def _on_one_device() -> Any:
    """A primitive that returns its first argument, and refuses ``vmap`` and several devices.

    XLA would fail in its own words, as it cannot tell which of the devices calls a pool. Programs
    of ``pmap`` and ``shard_map``, each of which runs on one device, say themselves who does. The
    other arguments are those of the call, of which one may be what ``vmap`` maps over.
    """
    core, mlir, batching = (
        importlib.import_module(f"jax.{name}")
        for name in ("extend.core", "interpreters.mlir", "interpreters.batching")
    )
    primitive: Any = core.Primitive("envpool_on_one_device")
    primitive.def_impl(lambda handle, *_: handle)
    primitive.def_abstract_eval(lambda handle, *_: handle)

    def lower(context: Any, handle: Any, *_: Any) -> list[Any]:
        devices = getattr(context.module_context.axis_context, "num_devices", 1)
        if devices > 1:
            raise _sharded(devices)
        return [handle]

    def refuse_vmap(*_: Any) -> NoReturn:
        raise NotImplementedError(
            "jax.vmap is not available for a pool's functions, whose environments it cannot "
            "multiply: give the pool more environments (num_envs)"
        )

    mlir.register_lowering(primitive, lower)
    batching.primitive_batchers[primitive] = refuse_vmap
    return primitive


def _sharded(devices: int) -> ArgumentError:
    return ArgumentError(
        f"an array of a call of a pool is sharded over {devices} devices, expected one: put it on "
        "a single device by jax.device_put(array, jax.devices()[0])"
    )


def _target(name: str) -> str:
    return f"envpool_next_{name}"


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
        self._jax = _import_jax()
        self._spec = spec
        self._to_output = to_output
        mode = parse_mode(spec.config.autoreset_mode)
        self._has_finals = mode is AutoresetMode.SAME_STEP
        self._step_plan = plans["final_step" if self._has_finals else "step"]
        self._reset_plan = plans["reset"]
        self._columns = native.columns()
        self._step_columns = list(dict.fromkeys(self._jax.tree.leaves(self._step_plan)))
        self._reset_columns = list(dict.fromkeys(self._jax.tree.leaves(self._reset_plan)))
        self._id = np.int64(
            native.open_port(self._step_columns, self._reset_columns, spec.known.seed_bits)
        )
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
        arguments, _ = self._read_request(action, env_id)
        return self._call("send", handle, arguments)[0]

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
        arguments, rows = self._read_request(action, env_id)
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
        arguments = [self._read_mask(mask)]
        if seed is not None:
            arguments.append(self._read_seed(seed))
        columns = self._reset_columns
        handle, arrays = self._call("reset", handle, arguments, columns, self._batch_size)
        return handle, self._to_output(map_leaves(arrays.__getitem__, self._reset_plan))

    def _results(self, name: str, handle: Any, arguments: list[Any], rows: int) -> tuple[Any, Any]:
        """Calls a handler whose results are those of a step."""
        handle, arrays = self._call(name, handle, arguments, self._step_columns, rows)
        filled = map_leaves(arrays.__getitem__, self._step_plan)
        if self._has_finals:
            filled = self._merge_final(filled)
        return handle, self._to_output(filled)

    def _call(
        self,
        name: str,
        handle: Any,
        arguments: list[Any],
        columns: Sequence[str] = (),
        rows: int = 0,
    ) -> tuple[Any, dict[str, Any]]:
        """Calls a handler, whose first argument and result are the handle."""
        jax = self._jax
        handle = jax.numpy.asarray(handle)
        if handle.dtype != np.uint8 or handle.shape != (HANDLE_BYTES,):
            raise TypeError(
                f"handle is {handle.dtype} of shape {handle.shape}, expected the uint8 of shape "
                f"({HANDLE_BYTES},) that xla() and its functions return"
            )
        handle = self._require_one_device(handle, arguments)
        call = jax.ffi.ffi_call(
            _target(name),
            [
                jax.ShapeDtypeStruct(handle.shape, handle.dtype),
                *(self._type(column, rows) for column in columns),
            ],
            has_side_effect=True,
            input_output_aliases={0: 0},
        )
        # Without the barrier, XLA for GPUs (JAX 0.11) calls twice in a loop that stacks results: a
        # copy of the call becomes a part of the write to the stack, and the call itself stays.
        # On CPUs XLA copies no calls, so programs for them have no barrier.
        returned, *arrays = jax.lax.platform_dependent(
            *call(handle, *arguments, pool=self._id),
            cuda=lambda *results: jax.lax.optimization_barrier(results),
            default=lambda *results: results,
        )
        return returned, dict(zip(columns, arrays, strict=True))

    def _require_one_device(self, handle: Any, arguments: Sequence[Any]) -> Any:
        """Returns the handle; refuses arrays that are, or will be, on several devices."""
        tracer = self._jax.core.Tracer
        if any(isinstance(array, tracer) for array in (handle, *arguments)):
            return _on_one_device().bind(handle, *arguments)
        for array in (handle, *arguments):
            if len(array.devices()) > 1:
                raise _sharded(len(array.devices()))
        return handle

    def _type(self, column: str, rows: int) -> Any:
        dtype, shape, per_player = self._columns[column]
        length = rows * self._spec.spaces.most_players if per_player else rows
        # What has 64 bits has 32 where JAX does; the handler converts it.
        dtype = self._jax.dtypes.canonicalize_dtype(dtype)
        return self._jax.ShapeDtypeStruct((length, *shape), dtype)

    def _read_request(self, action: Any, env_id: Any) -> tuple[list[Any], int]:
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
            arguments.append(self._read_ids(env_id))
            rows = arguments[0].shape[0]
        for field, value in zip(fields, values, strict=True):
            arguments.append(self._read_action(field, value, rows))
        return arguments, rows

    def _read_action(self, field: Field, value: Any, rows: int) -> Any:
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

    def _read_ids(self, env_id: Any) -> Any:
        ids = self._jax.numpy.asarray(env_id)
        if not self._jax.numpy.issubdtype(ids.dtype, np.integer):
            raise TypeError(f"env_id has dtype {ids.dtype}, expected integers")
        if ids.ndim != 1:
            raise ArgumentError(f"env_id has shape {ids.shape}, expected (n,)")
        return ids.astype(np.int32)

    def _read_mask(self, mask: Any) -> Any:
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

    def _read_seed(self, seed: Any) -> Any:
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

    def _merge_final(self, results: tuple[Any, ...]) -> tuple[Any, ...]:
        """Puts the last observations and infos of episodes into the infos.

        Unlike those of NumPy's interface they are always there, because a program's arrays are, and
        observations are no objects: rows without any are 0.
        """
        *step, (final_obs, final_info) = results
        _, _, terminated, truncated, info = step
        ended = terminated | truncated
        info["final_obs"] = self._jax.tree.map(lambda rows: self._where(ended, rows), final_obs)
        info["_final_obs"] = ended
        info["final_info"] = self._masked(final_info, ended)
        info["_final_info"] = ended
        return tuple(step)

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
