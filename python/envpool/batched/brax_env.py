"""BraxEnv: the environments of Brax."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from envpool.batched.jax_batch import JaxEnv, import_jax
from envpool.batched.jax_spaces import space_of
from envpool.errors import import_or_say


class BraxEnv(JaxEnv):
    """An environment of Brax; its metrics are the infos, with ``_`` instead of ``/`` in names.

    Episodes end as Brax's ``EpisodeWrapper`` says: its ``truncation`` is ours.

    Args:
        environment: One of Brax's, which does not begin new episodes itself.
    """

    def __init__(self, environment: Any) -> None:
        jax = import_jax()
        self._environment = environment
        first = jax.eval_shape(environment.reset, jax.random.PRNGKey(0))
        self.observation_space = _space_of(first.obs)
        self.action_space = spaces.Box(-1, 1, (environment.action_size,), np.float32)
        self.info_space = _space_of(_infos(first))

    def reset(self, key: Any) -> tuple[Any, Any, Any]:
        """See :meth:`JaxEnv.reset`."""
        state = self._environment.reset(key)
        return state, state.obs, _infos(state)

    def step(self, state: Any, action: Any, key: Any = None) -> tuple[Any, ...]:
        """See :meth:`JaxEnv.step`."""
        state = self._environment.step(state, action)
        truncated = state.info.get("truncation", 0.0 * state.done) > 0
        terminated = (state.done > 0) & ~truncated
        return state, state.obs, state.reward, terminated, truncated, _infos(state)


def _infos(state: Any) -> dict[str, Any]:
    return {name.replace("/", "_"): value for name, value in state.metrics.items()}


def _space_of(value: Any) -> Any:
    if isinstance(value, dict):
        return spaces.Dict({name: _space_of(part) for name, part in value.items()})
    return space_of(value)


def adapt(environment: Any) -> BraxEnv:
    """One of Brax's environments for a batch."""
    return BraxEnv(environment)


def make_brax(name: str, **kwargs: Any) -> BraxEnv:
    """The environment of this name in Brax, such as ``"ant"``, with episodes of 1000 steps.

    Args:
        name: The name.
        **kwargs: Of ``brax.envs.create``, such as ``episode_length``, and the environment's own.

    Raises:
        ImportError: brax is not installed.
    """
    envs = import_or_say(
        "brax.envs", "Brax's environments need brax, which does not load ({}): pip install brax"
    )
    return BraxEnv(envs.create(name, auto_reset=False, **kwargs))
