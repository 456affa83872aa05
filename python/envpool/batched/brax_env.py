"""BraxEnv: the environments of Brax, and of MuJoCo Playground, which has the same methods."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from envpool.batched.ids import import_package
from envpool.batched.jax_batch import JaxEnv, import_jax
from envpool.batched.jax_spaces import plain_names, space_of


class BraxEnv(JaxEnv):
    """An environment of Brax or Playground; its metrics are infos, with ``_`` for ``/`` in names.

    Episodes end as Brax's ``EpisodeWrapper`` says: its ``truncation`` is ours.

    Args:
        environment: One of these, which does not begin new episodes itself.
    """

    def __init__(self, environment: Any) -> None:
        jax = import_jax()
        self._environment = environment
        first = jax.eval_shape(environment.reset, jax.random.PRNGKey(0))
        self.observation_space = space_of(first.obs)
        self.action_space = spaces.Box(-1, 1, (environment.action_size,), np.float32)
        self.info_space = space_of(plain_names(first.metrics))

    def reset(self, key: Any) -> tuple[Any, Any, Any]:
        """See :meth:`JaxEnv.reset`."""
        state = self._environment.reset(key)
        return state, state.obs, plain_names(state.metrics)

    def step(self, state: Any, action: Any, key: Any = None) -> tuple[Any, ...]:
        """See :meth:`JaxEnv.step`."""
        state = self._environment.step(state, action)
        truncated = state.info.get("truncation", 0.0 * state.done) > 0
        terminated = (state.done > 0) & ~truncated
        infos = plain_names(state.metrics)
        return state, state.obs, state.reward, terminated, truncated, infos


def make_brax(name: str, **kwargs: Any) -> BraxEnv:
    """The environment of this name in Brax, such as ``"ant"``, with episodes of 1000 steps.

    Args:
        name: The name.
        **kwargs: Of ``brax.envs.create``, such as ``episode_length``, and the environment's own.

    Raises:
        ImportError: brax is not installed.
    """
    envs = import_package("brax", "brax.envs")
    return BraxEnv(envs.create(name, auto_reset=False, **kwargs))


def make_playground(name: str, **overrides: Any) -> BraxEnv:
    """The environment of this name in MuJoCo Playground, such as ``"CartpoleBalance"``.

    Its episodes are as long as its configuration says.

    Args:
        name: The name.
        **overrides: What is to differ from its default configuration, such as ``episode_length``.

    Raises:
        ImportError: mujoco_playground is not installed.
    """
    registry = import_package("playground", "mujoco_playground._src.registry")
    training = import_package("playground", "brax.envs.wrappers.training")
    config = registry.get_default_config(name)
    config.update(overrides)
    environment = registry.load(name, config)
    return BraxEnv(
        training.EpisodeWrapper(environment, config.episode_length, config.action_repeat)
    )
