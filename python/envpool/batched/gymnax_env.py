"""GymnaxEnv: the environments of gymnax, and Craftax, which has the same methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool.batched.ids import import_package
from envpool.batched.jax_batch import JaxEnv, import_jax
from envpool.batched.jax_spaces import fitting, plain_names, space_of, to_gymnasium

_FOR_EVER = 2**31 - 1


class GymnaxEnv(JaxEnv):
    """An environment with gymnax's ``reset_env`` and ``step_env``.

    The infos of steps are those of ``step_env``, which in resets are zeros. A ``/`` in their names
    becomes a ``_``.

    Args:
        environment: One of gymnax or Craftax, of those without automatic resets.
        params: Its parameters; None: the default ones.
    """

    takes_keys = True

    def __init__(self, environment: Any, params: Any = None) -> None:
        self._jax = jax = import_jax()
        self._environment = environment
        self._params = environment.default_params if params is None else params
        self.action_space = to_gymnasium(environment.action_space(self._params))
        key = jax.random.PRNGKey(0)
        observation, state = jax.eval_shape(environment.reset_env, key, self._params)
        self.observation_space = fitting(environment.observation_space(self._params), observation)
        action = np.zeros(self.action_space.shape or (), self.action_space.dtype)
        *_, info = jax.eval_shape(environment.step_env, key, state, action, self._params)
        self._shapes = {name: part for name, part in info.items() if hasattr(part, "dtype")}
        self.info_space = space_of(plain_names(self._shapes))

    def reset(self, key: Any) -> tuple[Any, Any, Any]:
        """See :meth:`JaxEnv.reset`."""
        observation, state = self._environment.reset_env(key, self._params)
        zeros = {name: np.zeros(part.shape, part.dtype) for name, part in self._shapes.items()}
        return state, observation, plain_names(zeros)

    def step(self, state: Any, action: Any, key: Any = None) -> tuple[Any, ...]:
        """See :meth:`JaxEnv.step`."""
        observation, state, reward, is_over, info = self._environment.step_env(
            key, state, action, self._params
        )
        terminated, truncated = self._ends(state, is_over)
        infos = plain_names({name: info[name] for name in self._shapes})
        return state, observation, reward, terminated, truncated, infos

    def _ends(self, state: Any, is_over: Any) -> tuple[Any, Any]:
        """Whether an episode has terminated, and whether its time is over.

        Craftax says of both that it is over, and gymnax only of the former.
        """
        if hasattr(self._environment, "is_truncated"):
            return is_over, self._environment.is_truncated(state, self._params)
        timeless = self._params.replace(max_timesteps=_FOR_EVER)
        is_late = state.timestep >= self._params.max_timesteps
        return self._environment.is_terminal(state, timeless), is_late


def make_gymnax(name: str, **params: Any) -> GymnaxEnv:
    """The environment of this id in gymnax, such as ``"CartPole-v1"``.

    Args:
        name: The id.
        **params: What is to differ from its default parameters.

    Raises:
        ImportError: gymnax is not installed.
    """
    environment, defaults = import_package("gymnax", "gymnax").make(name)
    return GymnaxEnv(environment, defaults.replace(**params))


def make_craftax(name: str, **params: Any) -> GymnaxEnv:
    """The environment of this id in Craftax, such as ``"Craftax-Symbolic-v1"``.

    Arguments and exceptions as for :func:`make_gymnax`.
    """
    craftax = import_package("craftax", "craftax.craftax_env")
    environment = craftax.make_craftax_env_from_name(name, auto_reset=False)
    return GymnaxEnv(environment, environment.default_params.replace(**params))
