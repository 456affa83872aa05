"""NativeRows: what a VecEnv needs of a task's environments, by the rows of single ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.errors import did_you_mean, shown
from envpool.flavours.row_infos import RowInfos
from envpool.flavours.strict import EnvPoolVectorEnv
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import row_of

Infos = list[dict[str, Any]]


class Single:
    """The methods of one environment that ``env_method`` can call.

    Args:
        rows: Whose environment it is.
        env_id: Its id.
    """

    def __init__(self, rows: NativeRows, env_id: int) -> None:
        self._rows = rows
        self._env_id = env_id

    def render(self) -> Any:
        """See :meth:`gymnasium.Env.render`."""
        frames = self._rows.vector_env.render()
        return frames[self._env_id] if frames else None

    def get_state(self) -> bytes:
        """See :meth:`envpool.flavours.base.EnvPool.get_state`."""
        return self._rows.vector_env.get_state([self._env_id])[0]

    def set_state(self, state: bytes) -> None:
        """See :meth:`envpool.flavours.base.EnvPool.set_state`."""
        self._rows.vector_env.set_state([state], [self._env_id])

    def has_wrapper_attr(self, name: str) -> bool:
        """See :meth:`gymnasium.Env.has_wrapper_attr`."""
        return self._rows.has_attr(name)

    def get_wrapper_attr(self, name: str) -> Any:
        """See :meth:`gymnasium.Env.get_wrapper_attr`."""
        return self._rows.get_attr(name, [self._env_id])[0]

    def set_wrapper_attr(self, name: str, value: Any) -> None:
        """See :meth:`gymnasium.Env.set_wrapper_attr`."""
        self._rows.set_attr(name, value, [self._env_id])

    def __getattr__(self, name: str) -> Any:
        return self._rows.get_attr(name, [self._env_id])[0]


class NativeRows:
    """A vector environment without auto-reset whose infos are a dict for each environment.

    :class:`envpool.sb3.python_rows.PythonRows` has the same methods. The pool keeps what
    :meth:`reset`, :meth:`begin`, :meth:`reset_one`, :meth:`step` and :meth:`recv` return until the
    caller sets ``vector_env._is_kept[0]`` to False; see EnvPool.

    Args:
        vector_env: The vector environment.

    Attributes:
        vector_env: The same.
        observation_space: Of one environment, like the following.
        action_space: Its actions.
        metadata: What it says about rendering.
        spec: Gymnasium's, or None.
        infos: The keys of its infos, as far as they are known.
    """

    def __init__(self, vector_env: EnvPoolVectorEnv) -> None:
        self.vector_env = vector_env
        spec: EnvSpec = vector_env.env_spec
        self.observation_space = spec.spaces.strict_observation
        self.action_space = spec.spaces.strict_action
        self.metadata = spec.render_metadata
        self.spec = vector_env.spec
        self.infos = frozenset(spec.spaces.info_rules.in_gymnasium(spec.spaces.infos))
        self._num_envs = vector_env.num_envs
        self._row_infos = RowInfos(spec)

    def reset(
        self, seeds: Sequence[int | None] | None, options: dict[str, Any] | None
    ) -> tuple[Any, Infos]:
        """Begins new episodes; drops what an interrupted call has left."""
        obs, info = self.vector_env._reset(seeds, options)
        return obs, self._row_infos.split(info, self._num_envs)

    def begin(self, dones: NDArray[np.bool_], last: Any) -> tuple[Any, Infos]:
        """Begins the next episodes of some environments, or goes on with that.

        Args:
            dones: Which they are. The others have their last row.
            last: The last observations of all.
        """
        if self.owes():
            obs, infos = self.recv()
            return obs, infos
        return self.reset(None, {"reset_mask": dones})

    def reset_one(
        self, env_id: int, seed: int | None, options: dict[str, Any] | None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode of one environment, also before those of others."""
        is_it = np.arange(self._num_envs) == env_id
        seeds = None if seed is None else [seed if it else None for it in is_it.tolist()]
        self.vector_env.allow_single_resets()
        obs, infos = self.reset(seeds, (options or {}) | {"reset_mask": is_it})
        return row_of(obs, env_id), infos[env_id]

    def step(self, actions: Any) -> tuple[Any, ...]:
        """Observations, rewards of float64, terminated, truncated, and infos."""
        *entries, info = self.vector_env._step(actions)
        return (*entries, self._row_infos.split(info, self._num_envs))

    def recv(self) -> tuple[Any, ...]:
        """What an interrupted call would have returned."""
        *entries, info = self.vector_env._recv()
        return (*entries, self._row_infos.split(info, self._num_envs))

    def survive_failures(self, most: int) -> None:
        """So many failures end an episode, and are not raised."""
        self.vector_env._pool.survive_failures(most)

    def owes(self) -> bool:
        """True if a call was interrupted, whose results :meth:`recv` returns."""
        return self.vector_env.owes()

    def images(self) -> Sequence[NDArray[np.uint8]]:
        """A picture of each environment."""
        return self.vector_env.render() or ()

    def has_attr(self, name: str) -> bool:
        """Do the environments have such an attribute?"""
        try:
            self.vector_env.get_attr(name)
        except AttributeError:
            return False
        return True

    def get_attr(self, name: str, ids: Sequence[int]) -> list[Any]:
        """An attribute of environments; see :meth:`EnvPoolVectorEnv.get_attr`."""
        values = self.vector_env.get_attr(name)
        return [values[env_id] for env_id in ids]

    def set_attr(self, name: str, value: Any, ids: Sequence[int]) -> None:
        """Changes an option of environments; see :meth:`EnvPoolVectorEnv.set_attr`."""
        values = [value] * self._num_envs
        if len({*ids}) < self._num_envs and self.vector_env.can_set(name):
            values = list(self.vector_env.get_attr(name))
        for env_id in ids:
            values[env_id] = value
        self.vector_env.set_attr(name, values)

    def call(
        self, name: str, args: Sequence[Any], kwargs: dict[str, Any], ids: Sequence[int]
    ) -> list[Any]:
        """Calls a method of environments.

        Raises:
            AttributeError: There is no such method.
        """
        known = ["reset", *(each for each in vars(Single) if not each.startswith("_"))]
        known += self.vector_env.env_spec.pool_methods()
        if name not in known:
            raise AttributeError(
                f"{shown(name)} is not a method of its environments, expected one of "
                f"{', '.join(known)}{did_you_mean(name, known)}"
            )
        return [getattr(Single(self, env_id), name)(*args, **kwargs) for env_id in ids]

    def are_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], ids: Sequence[int]
    ) -> list[bool]:
        """Says of environments if they have this wrapper: none has any."""
        return [False] * len(ids)
