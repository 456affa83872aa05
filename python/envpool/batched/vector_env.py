"""VectorEnvBatch: one of Gymnasium's vector environments, which steps all of its environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv

from envpool.batched.group import Ids, Seeds
from envpool.errors import ArgumentError, shown
from envpool.spec.fields import map_leaves

# What such an object decides itself, with the value that a pool over it must have.
_ITS_OWN = {"autoreset_mode": "NextStep", "episodes": None}


class VectorEnvBatch:
    """One of Gymnasium's vector environments that start new episodes in the step after the end.

    It has no other resets of some environments than those, so a pool over it resets all or none.
    Infos are left out, because nobody knows their arrays before.

    Args:
        vector_env: The vector environment.
        num_envs: How many environments the pool has.

    Raises:
        ArgumentError: It has another number of environments, or resets them otherwise.
    """

    def __init__(self, vector_env: VectorEnv[Any, Any, Any], num_envs: int) -> None:
        if vector_env.num_envs != num_envs:
            raise ArgumentError(
                f"the vector environment has {vector_env.num_envs} environments, expected num_envs "
                f"= {num_envs}"
            )
        mode = (vector_env.metadata or {}).get("autoreset_mode")
        if getattr(mode, "value", "NextStep") != "NextStep":
            raise ArgumentError(
                f"the vector environment's autoreset_mode is {mode}, expected NextStep"
            )
        self.observation_space = vector_env.single_observation_space
        self.action_space = vector_env.single_action_space
        self.metadata = vector_env.metadata
        self.close = vector_env.close
        self._vector_env = vector_env
        self._actions: Any = None  # the last ones
        self._observations: Any = None  # likewise
        self._ended, self._is_new = np.zeros((2, num_envs), np.bool_)  # in the last step

    def refuse(self, config: Any, given: dict[str, Any]) -> None:
        """Refuses options of a pool that such an object decides itself.

        Args:
            config: The values of all options.
            given: Those that the caller gave.

        Raises:
            ArgumentError: There is one.
        """
        names = [name for name, value in _ITS_OWN.items() if getattr(config, name) != value]
        names += ["max_episode_steps"] if "max_episode_steps" in given else []
        names += ["batch_size"] if config.batch_size != config.num_envs else []
        for name in names:
            raise ArgumentError(
                f"{name} is {shown(getattr(config, name))}, which a VectorEnv decides itself, as "
                "it steps and resets all of its environments: leave it out, or give it to the "
                "VectorEnv"
            )

    def reset(self, seeds: Seeds, ids: Ids) -> tuple[Any, dict[str, Any]]:
        """Resets all, or returns what those have observed that have begun in the last step."""
        is_automatic = all(seed is None for seed in seeds)
        if is_automatic and not self._is_new[ids].all() and self._ended.all():
            self._step()  # all of them have ended, so no step came before
        if is_automatic and self._is_new[ids].all():
            self._is_new[ids] = False
            return _rows(self._observations, ids), {}
        if len(ids) < self._vector_env.num_envs:
            raise RuntimeError(
                f"the VectorEnv resets all of its environments at once, but {shown(ids.tolist())} "
                "were to be reset"
            )
        first = seeds[0]
        is_row = first is not None and seeds == list(range(first, first + len(seeds)))
        seed: Any = first if is_row else seeds  # as Gymnasium gives environments seeds
        self._observations, _ = self._vector_env.reset(seed=None if is_automatic else seed)
        self._ended, self._is_new = np.zeros((2, len(ids)), np.bool_)
        return self._observations, {}

    def step(self, actions: Any, ids: Ids) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Steps all; those that have ended begin another episode, whatever their action."""
        if self._actions is None or len(ids) == self._vector_env.num_envs:
            self._actions = np.array(actions)
        else:
            self._actions[ids] = actions
        columns = [np.asarray(column)[ids] for column in self._step()]
        return (_rows(self._observations, ids), *columns, {})

    def _step(self) -> tuple[Any, Any, Any]:
        was_over = self._ended
        self._observations, *columns, _ = self._vector_env.step(self._actions)
        self._ended, self._is_new = np.logical_or(columns[1], columns[2]), was_over
        return tuple(columns)


def _rows(observations: Any, ids: Ids) -> Any:
    return map_leaves(lambda array: array[ids], observations)
