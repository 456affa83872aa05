"""NativeRows: what a VecEnv needs of a task's environments, by the rows of single ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.errors import did_you_mean, shown
from envpool.flavours.row_results import RowResults
from envpool.flavours.strict import EnvPoolVectorEnv
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import row_of

Infos = list[dict[str, Any]]


class NativeRows:
    """A vector environment without auto-reset whose infos are a dict for each environment.

    :class:`envpool.sb3.python_rows.PythonRows` has the same methods.

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
        self.metadata = spec.pictures.metadata
        self.spec = vector_env.spec
        self.infos = frozenset(spec.spaces.info_rules.in_gymnasium(spec.spaces.infos))
        vector_env._results = RowResults(spec)
        self.reset, self.step = vector_env.reset, vector_env.step

    def begin(self, dones: NDArray[np.bool_], last: Any) -> tuple[Any, Infos]:
        """Begins the next episodes of some environments.

        Args:
            dones: Which they are. The others have their last row.
            last: The last observations of all.
        """
        return self.reset(options={"reset_mask": dones})

    def reset_one(self, mask: NDArray[np.bool_], seeds: Any, options: Any) -> tuple[Any, Any]:
        """Begins an episode of the one environment of a mask, also before those of others."""
        self.vector_env.allow_single_resets()
        obs, infos = self.reset(seed=seeds, options=(options or {}) | {"reset_mask": mask})
        env_id = int(mask.argmax())
        return row_of(obs, env_id), infos[env_id]

    def images(self) -> Sequence[NDArray[np.uint8]]:
        """A picture of each environment."""
        return self.vector_env.render() or ()

    def has_attr(self, name: str) -> bool:
        """True if the environments have such an attribute."""
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
        values = [value] * self.vector_env.num_envs
        if len({*ids}) < self.vector_env.num_envs and self.vector_env.can_set(name):
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
        env = self.vector_env
        methods: dict[str, Callable[..., Any]] = {
            "render": lambda env_id: (env.render() or [None] * env.num_envs)[env_id],
            "get_state": lambda env_id: env.get_state([env_id])[0],
            "set_state": lambda env_id, state: env.set_state([state], [env_id]),
            "has_wrapper_attr": lambda _, name: self.has_attr(name),
            "get_wrapper_attr": lambda env_id, name: self.get_attr(name, [env_id])[0],
            "set_wrapper_attr": lambda env_id, name, value: self.set_attr(name, value, [env_id]),
        }
        if name in methods:
            return [methods[name](env_id, *args, **kwargs) for env_id in ids]
        own = env.env_spec.pool_methods()
        if name in own:
            return [method(*args, **kwargs) for method in self.get_attr(name, ids)]
        known = ["reset", *methods, *own]
        raise AttributeError(
            f"{shown(name)} is not a method of its environments, expected one of "
            f"{', '.join(known)}{did_you_mean(name, known)}"
        )

    def are_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], ids: Sequence[int]
    ) -> list[bool]:
        """Says of environments if they have this wrapper: none has any."""
        return [False] * len(ids)
