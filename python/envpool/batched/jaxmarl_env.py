"""JaxmarlEnv: the environments of JaxMARL, whose agents act at once, in one row per environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from envpool.batched.ids import import_package
from envpool.batched.jax_batch import JaxEnv, import_jax
from envpool.batched.jax_spaces import fitting, to_gymnasium
from envpool.spec.masks import NAME


class JaxmarlEnv(JaxEnv):
    """An environment of JaxMARL, whose observations and actions are dicts with a part per agent.

    The reward is the sum of the agents'. The infos are ``rewards`` and ``dones`` of each agent in
    the order of the environment's ``agents``, and ``action_mask`` (int8, a dict) where it tells
    which actions are available. An episode ends when ``__all__`` are done, and has terminated:
    JaxMARL does not say whether its time is over.

    Args:
        environment: One of JaxMARL's.
    """

    takes_keys = True

    def __init__(self, environment: Any) -> None:
        jax = import_jax()
        self._environment = environment
        self._stack = jax.numpy.stack
        agents = self._agents = list(environment.agents)
        observation, state = jax.eval_shape(environment.reset, jax.random.PRNGKey(0))
        given = {each: environment.observation_space(each) for each in agents}
        self.observation_space = spaces.Dict(
            {each: fitting(space, observation[each]) for each, space in given.items()}
        )
        self.action_space = spaces.Dict(
            {each: to_gymnasium(environment.action_space(each)) for each in agents}
        )
        infos: dict[str, spaces.Space[Any]] = {
            "rewards": spaces.Box(-np.inf, np.inf, (len(agents),), np.float32),
            "dones": spaces.MultiBinary(len(agents)),
        }
        try:
            masks = jax.eval_shape(environment.get_avail_actions, state)
        except NotImplementedError:
            masks = None
        self._has_masks = masks is not None
        if masks is not None:
            infos[NAME] = spaces.Dict(
                {each: spaces.MultiBinary(masks[each].shape) for each in agents}
            )
        self.info_space = spaces.Dict(infos)

    def reset(self, key: Any) -> tuple[Any, Any, Any]:
        """See :meth:`JaxEnv.reset`."""
        observation, state = self._environment.reset(key)
        zeros = np.zeros(len(self._agents), np.float32)
        return state, self._of_agents(observation), self._info(state, zeros, zeros)

    def step(self, state: Any, action: Any, key: Any = None) -> tuple[Any, ...]:
        """See :meth:`JaxEnv.step`."""
        observation, state, rewards, dones, _ = self._environment.step_env(key, state, action)
        each = self._stack([rewards[agent] for agent in self._agents]).astype(np.float32)
        info = self._info(state, each, self._stack([dones[agent] for agent in self._agents]))
        return state, self._of_agents(observation), each.sum(), dones["__all__"], False, info

    def _of_agents(self, values: Any) -> dict[str, Any]:
        """The parts of agents, without a part of the whole such as ``world_state``."""
        return {agent: values[agent] for agent in self._agents}

    def _info(self, state: Any, rewards: Any, dones: Any) -> dict[str, Any]:
        info = {"rewards": rewards, "dones": dones.astype(np.int8)}
        if self._has_masks:
            masks = self._of_agents(self._environment.get_avail_actions(state))
            info[NAME] = {agent: mask.astype(np.int8) for agent, mask in masks.items()}
        return info


def make_jaxmarl(name: str, **kwargs: Any) -> JaxmarlEnv:
    """The environment of this id in JaxMARL, such as ``"MPE_simple_spread_v3"``.

    Args:
        name: The id.
        **kwargs: Of its class.

    Raises:
        ImportError: jaxmarl is not installed.
    """
    return JaxmarlEnv(import_package("jaxmarl", "jaxmarl").make(name, **kwargs))
