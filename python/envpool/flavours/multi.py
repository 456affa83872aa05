"""Pools with environments of several tasks, which speak the same APIs as others."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

from envpool.flavours.dm import DMEnvPool
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.forks import import_module
from envpool.spec.dm import import_dm_env

if TYPE_CHECKING:
    from envpool.spec.multi_spec import MultiSpec


class MultiPool:
    """What such a pool has beside what others have. Results have ``info["task"]``, int32."""

    _spec: MultiSpec

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks: ``info["task"]`` is an index of these."""
        return self._spec.tasks

    @property
    def task_of_env(self) -> NDArray[np.int32]:
        """The index of each environment's task, of shape ``(num_envs,)``."""
        return np.array(self._spec.kind_of, np.int32)

    @property
    def action_spaces(self) -> tuple[gymnasium.Space[Any], ...]:
        """Gymnasium's space of an action of each task; ``action_space`` is the largest of them."""
        return self._spec.action_spaces

    @property
    def action_masks(self) -> NDArray[np.bool_] | None:
        """Which actions each task has, bool of shape ``(len(tasks), action_space.n)``.

        ``action_masks[info["task"]]`` are those of a batch. None where actions are not discrete.
        """
        return self._spec.action_masks


class MultiGymnasiumEnvPool(MultiPool, GymnasiumEnvPool, VectorEnv, gymnasium.Env):  # type: ignore[misc]
    """Environments of several tasks as one :class:`envpool.GymnasiumEnvPool`."""


@functools.cache
def pool_class(env_type: str, old_gym: bool) -> Any:
    """The class of pools that speak an API.

    Args:
        env_type: Which one; see :func:`envpool.make`.
        old_gym: Is it an old gym's?
    """
    if old_gym:
        gym: Any = import_module("envpool.flavours.gym")  # imports an old gym
        bases = (MultiPool, gym.GymEnvPool, gym.gym.Env)
        return type("MultiGymEnvPool", bases, {"__module__": __name__})
    if env_type == "dm":
        bases = (MultiPool, DMEnvPool, import_dm_env().Environment)
        return type("MultiDMEnvPool", bases, {"__module__": __name__})
    return MultiGymnasiumEnvPool
