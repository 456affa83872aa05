"""PythonRows: what a VecEnv needs of environments written in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.errors import EnvironmentFailure, shown
from envpool.flavours.face import WholeFace
from envpool.flavours.python_pools import PythonEnvPool
from envpool.sb3.native_rows import Infos
from envpool.spec.fields import row_of, with_rows
from envpool.tasks.python_makers import make_rows
from envpool.vector.arguments import take_reset_mask
from envpool.vector.sync_env import raise_own_error
from envpool.workers.pool_side.pool import PythonPool
from envpool.workers.worker_side.worker import class_name

T = TypeVar("T")
# What the pool would not know of, if environments were called for it.
_REFUSED = ("step", "close")


class PythonRows(WholeFace):
    """A pool without auto-reset whose infos are a dict for each environment.

    The methods are those of :class:`envpool.sb3.native_rows.NativeRows`. Steps and resets raise
    EnvironmentFailures; all other calls raise what the environment itself has raised.

    Args:
        source: What makes the environments; see :func:`envpool.make_python`.
        options: The options that were given. Without a seed, environments get none.
        task_id: What the task is called, if it was registered.

    Attributes:
        vector_env: The pool.
        observation_space: Of one environment, like the following.
        action_space: Its actions.
        metadata: Its own.
        spec: Gymnasium's, or None.
        infos: The keys of infos that are known before there are some.
    """

    _was_reset = True  # environments may be reset one by one, and say themselves who was not

    def __init__(self, source: Any, options: dict[str, Any], task_id: str | None) -> None:
        self.vector_env: PythonEnvPool = make_rows(source, options, task_id)
        self._pool: PythonPool = self.vector_env._pool
        self.observation_space = self._pool.observation_space
        self.action_space = self._pool.action_space
        self.metadata = self._pool.metadata
        self.spec = self._pool.spec
        self.infos = frozenset(getattr(self._pool.info_space, "spaces", ()))
        self._shows = self.vector_env.render_mode == "human"

    def _begin_reset(self, seed: Any, options: Any) -> tuple[Any, ...]:
        ids, seeds = take_reset_mask(options, seed or [], self.vector_env.num_envs)
        self._begin(True, resets_all=ids is None)
        # Not the others' last rows, too: environments of a worker that ended have none.
        return ids, seeds, options or None, ids is None

    def begin(self, dones: NDArray[np.bool_], last: Any) -> tuple[Any, Infos]:
        """Begins the next episodes of some environments.

        Args:
            dones: Which they are.
            last: The last observations of all, which the others keep.
        """
        obs, own = self.reset(options={"reset_mask": dones})
        ids = np.flatnonzero(dones).astype(np.int32)
        infos: Infos = [{} for _ in dones]
        for env_id, info in zip(ids.tolist(), own, strict=True):
            infos[env_id] = info
        return with_rows(last, ids, obs), infos

    def reset_one(self, mask: NDArray[np.bool_], seeds: Any, options: Any) -> tuple[Any, Any]:
        """Begins an episode of the one environment of a mask, also before those of others."""
        obs, (info,) = self.reset(seed=seeds, options=(options or {}) | {"reset_mask": mask})
        return row_of(obs, 0), info

    def images(self) -> list[Any]:
        """What the environments draw, one each."""
        return self._ask(lambda: self._pool.call("render"))

    def has_attr(self, name: str) -> bool:
        """True if the environments have such an attribute."""
        return all(self._ask(lambda: self._pool.has_attr(name)))

    def get_attr(self, name: str, ids: Sequence[int]) -> list[Any]:
        """An attribute of environments, pickled if they are in other processes."""
        if name == "render_mode":  # of which a window of ours knows more than they do
            return [self.vector_env.render_mode] * len(ids)
        return self._ask(lambda: self._pool.get_attr(name, ids))

    def set_attr(self, name: str, value: Any, ids: Sequence[int]) -> None:
        """Sets an attribute of environments, of whichever wrapper has it."""
        self._ask(lambda: self._pool.set_attr(name, [value] * len(ids), ids))

    def call(
        self, name: str, args: Sequence[Any], kwargs: dict[str, Any], ids: Sequence[int]
    ) -> list[Any]:
        """Calls a method of environments.

        Raises:
            AttributeError: There is no such method, or it is one that the pool has to know of.
        """
        if name in _REFUSED:
            raise AttributeError(
                f"{shown(name)} is not a method that env_method() calls: call {name}() of the "
                "vector environment"
            )
        if name == "render" and self.vector_env.render_mode == "human":
            self.vector_env.render()
            return [None] * len(ids)
        return self._ask(lambda: self._pool.call(name, args, kwargs, ids))

    def are_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], ids: Sequence[int]
    ) -> list[bool]:
        """Says of environments if they have this wrapper.

        Workers tell names, so that they need not import the class, and perhaps torch with it.
        """
        name = class_name(wrapper_class)
        return [name in each for each in self._ask(lambda: self._pool.wrappers(ids))]

    def render(self) -> Any:
        """Shows an environment in a window."""
        return self.vector_env.render()

    def _ask(self, call: Callable[[], T]) -> T:
        """Returns what the call returns, and raises what an environment itself has raised."""
        try:
            return call()
        except EnvironmentFailure as failure:
            raise_own_error(failure)
