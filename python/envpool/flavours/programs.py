"""ProgramMembers: what pools have for programs that JAX compiles."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from envpool.errors import EnvironmentFailure
from envpool.flavours.members import PoolMembers

if TYPE_CHECKING:
    from envpool.flavours.xla import XlaInterface


class ProgramMembers(PoolMembers):
    """A base of EnvPool's classes; see :mod:`envpool.flavours.xla`, which needs JAX."""

    def xla(self) -> tuple[Any, Any, Any, Any]:
        """Returns the pool's functions for programs that JAX compiles (docs/jax.md).

        Returns:
            ``(handle, recv, send, step)``. The handle is a uint8 array of shape (8,); each function
            takes it as its first argument, and returns it first (``send`` returns nothing else).
            Programs must pass it on from call to call, which determines the order of the calls:
            ``recv(handle) -> (handle, results)``, ``send(handle, action, env_id=None) -> handle``,
            ``step(handle, action, env_id=None) -> (handle, results)``. Results are those of
            :meth:`recv`, with 64-bit numbers as 32-bit ones unless ``jax_enable_x64`` is set.

            After :meth:`close`, programs that call these functions fail, and so do programs that
            outlive the pool.

        Raises:
            RuntimeError: JAX is not installed.
        """
        interface = self._interface()
        return interface.handle, interface.recv, interface.send, interface.step

    def xla_reset(self) -> Any:
        """Returns the pool's reset for programs that JAX compiles; see also :meth:`xla`.

        Returns:
            ``reset(handle, mask=None, seed=None) -> (handle, results)``, see
            :meth:`envpool.flavours.xla.XlaInterface.reset`.

        Raises:
            RuntimeError: JAX is not installed.
        """
        return self._interface().reset

    def xla_failures(self) -> list[EnvironmentFailure]:
        """Returns failures of environments in JAX programs, with the others' results.

        Such a program ends with a JaxRuntimeError, which contains only their ids and messages.

        Returns:
            The failures since the last call, the oldest first, but at most the latest eight. Each
            is what :meth:`recv` would have raised.
        """
        failures = self._pool.take_failures_of_port()
        for failure in failures:
            failure.results = self._to_output(failure.results)
        return failures

    def _interface(self) -> XlaInterface:
        xla: Any = importlib.import_module("envpool.flavours.xla")
        interface: XlaInterface = xla.XlaInterface(
            self._spec, self._pool, self._plans(self._spec.spaces.contents), self._to_output
        )
        return interface
