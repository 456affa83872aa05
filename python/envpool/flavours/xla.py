"""Pools inside compiled JAX programs: ``recv``, ``send``, ``step`` and ``reset`` for its jit.

The native side (cpp/xla) has one handler for each of these, for all pools of the process, and
another one for programs on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool import _core
from envpool.flavours.final_rows import merge_final
from envpool.flavours.jax_arguments import JaxArguments
from envpool.flavours.jax_handlers import call_handler, import_jax
from envpool.spec.fields import leaves_of, map_leaves
from envpool.spec.plans import Plan, Plans
from envpool.spec.values import AutoresetMode, parse_mode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from envpool.spec.env_spec import EnvSpec


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
        self._arguments = JaxArguments(spec)
        self._most_players = spec.spaces.most_players
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
        arguments, _ = self._arguments.request(action, env_id)
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
        arguments, rows = self._arguments.request(action, env_id)
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
        arguments = [self._arguments.mask(mask)]
        if seed is not None:
            arguments.append(self._arguments.seed(seed))
        plan, rows = self._reset_plan, self._batch_size
        handle, filled = self._call("reset", handle, arguments, plan, rows)
        return handle, self._to_output(filled)

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
        length = rows * self._most_players if per_player else rows
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
