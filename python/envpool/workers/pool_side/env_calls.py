"""EnvCalls: what a pool asks of environments besides steps and resets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from envpool import _core
from envpool.errors import ArgumentError
from envpool.workers.options import PoolOptions
from envpool.workers.pool_side.workers import Workers
from envpool.workers.worker_side.worker import State


class EnvCalls:
    """Calls of environments' methods, and access to their attributes and states.

    A base of :class:`envpool.workers.pool_side.pool.PythonPool`.
    """

    native: _core.ProcessPool
    idle_ids: Callable[..., list[int]]
    _workers: Workers
    _options: PoolOptions
    _kinds: Sequence[str]

    def call(
        self,
        name: str,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        env_ids: ArrayLike | None = None,
        timeout: float | None = None,
    ) -> list[Any]:
        """Calls a method of environments, or reads what is no method.

        Args:
            name: The method, of whichever wrapper has it.
            args: What it is called with.
            kwargs: What it is called with by name.
            env_ids: The environments; None: all of them.
            timeout: Seconds to wait at most.

        Returns:
            What it returns, in the order of ``env_ids``.

        Raises:
            RuntimeError: One of them is in flight.
            TimeoutError: The time is over. The environments are called nevertheless.
            EnvironmentFailure: One failed, or its worker ended.
        """
        return self.begin_call(name, args, kwargs, env_ids)(timeout)

    def begin_call(
        self,
        name: str,
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        env_ids: ArrayLike | None = None,
    ) -> Callable[[float | None], list[Any]]:
        """Begins a :meth:`call`, which comes before all calls that are begun after it.

        Returns:
            What waits for its end: it takes the seconds to wait at most, None for no end, and
            returns and raises what the call does.
        """
        ids = self.idle_ids(env_ids)
        self._note_lost(ids, name)
        arguments = [(name, tuple(args), kwargs or {})] * len(ids)
        return self._workers.ask(self.native, ids, "call", arguments)

    def _ask(self, ids: list[int], method: str, *arguments: Sequence[Any]) -> list[Any]:
        """Calls a method of workers for environments; each argument has a value for each of them.

        Raises:
            EnvironmentFailure: An environment failed, or its worker ended.
        """
        each = zip(*arguments, strict=True) if arguments else [()] * len(ids)
        return self._workers.ask(self.native, ids, method, each)(None)

    def _note_lost(self, ids: list[int], method: str) -> None:
        """Tells a recording that a call is about to change environments."""
        if self._options.record and ids and method != "render":
            self.native.note_lost(ids, f"{method}() was called")

    def get_attr(self, name: str, env_ids: ArrayLike | None = None) -> list[Any]:
        """Reads an attribute of environments; as :meth:`call`, but calls nothing."""
        ids = self.idle_ids(env_ids)
        return self._ask(ids, "get_attr", [name] * len(ids))

    def has_attr(self, name: str, env_ids: ArrayLike | None = None) -> list[bool]:
        """Says of environments if they have such an attribute; errors as for :meth:`call`."""
        ids = self.idle_ids(env_ids)
        return self._ask(ids, "has_attr", [name] * len(ids))

    def wrappers(self, env_ids: ArrayLike | None = None) -> list[set[str]]:
        """The names of the classes of environments' wrappers, and of the bases of these."""
        return self._ask(self.idle_ids(env_ids), "wrappers")

    def set_attr(self, name: str, values: Sequence[Any], env_ids: ArrayLike | None = None) -> None:
        """Sets an attribute of environments; errors as for :meth:`call`.

        Args:
            name: The attribute, of whichever wrapper has it.
            values: One for each of the environments.
            env_ids: The environments; None: all of them.

        Raises:
            ValueError: There is a wrong number of values.
        """
        ids = self.idle_ids(env_ids)
        if len(values) != len(ids):
            raise ArgumentError(f"values has {len(values)} entries, expected {len(ids)}")
        self._note_lost(ids, "set_attr")
        self._ask(ids, "set_attr", [name] * len(ids), values)

    def get_state(self, env_ids: ArrayLike | None = None) -> list[bytes]:
        """Saves environments; see :meth:`envpool.flavours.base.EnvPool.get_state`.

        They are pickles: load none that come from somebody else.

        Raises:
            RuntimeError: One of them is in flight, or has failed.
            EnvironmentFailure: One failed, or has no states; see
                :mod:`envpool.workers.worker_side.worker`.
        """
        ids = self.idle_ids(env_ids, mended=False)
        return [state.to_bytes() for state in self._ask(ids, "get_state")]

    def set_state(self, states: Sequence[Any], env_ids: ArrayLike | None = None) -> None:
        """Puts environments into saved states, and heals those that have failed.

        Args:
            states: One for each of the environments.
            env_ids: The environments; None: all of them.

        Raises:
            TypeError: A state is no bytes.
            ValueError: One is damaged, or another kind of environment's; or there is a wrong number
                of them. Nothing was changed then.
            RuntimeError: One of the environments is in flight.
            EnvironmentFailure: One did not take its state, and is to be reset.
        """
        ids = self.idle_ids(env_ids)
        if len(states) != len(ids):
            raise ArgumentError(f"there are {len(states)} states, expected {len(ids)}")
        read = [State.from_bytes(given, f"states[{i}]") for i, given in enumerate(states)]
        for i, (env_id, state) in enumerate(zip(ids, read, strict=True)):
            if state.kind != self._kinds[env_id]:
                raise ArgumentError(
                    f"states[{i}] is of a {state.kind}, but environment {env_id} is a "
                    f"{self._kinds[env_id]}"
                )
        self._workers.before_reset(self.native, env_ids)
        self._note_lost(ids, "set_state")
        acting = self._ask(ids, "set_state", read)
        self.native.set_over(env_ids, [state.is_over for state in read], acting)
