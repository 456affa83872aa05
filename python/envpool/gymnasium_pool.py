"""GymnasiumEnvPool: a pool that speaks Gymnasium's vector API, in EnvPool's dialect."""

from __future__ import annotations

from typing import Any

import gymnasium
from gymnasium.vector import VectorEnv

from envpool.pool import EnvPoolMixin
from envpool.spec import EnvSpec


def _metadata() -> dict[str, Any]:
    metadata: dict[str, Any] = {"render_modes": []}
    try:
        from gymnasium.vector import AutoresetMode
    except ImportError:  # Gymnasium < 1.1 knows only this mode
        return metadata
    return metadata | {"autoreset_mode": AutoresetMode.NEXT_STEP}


class GymnasiumEnvPool(EnvPoolMixin, VectorEnv, gymnasium.Env):  # type: ignore[misc]
    """Many environments as one :class:`gymnasium.vector.VectorEnv`.

    In EnvPool's dialect ``observation_space`` and ``action_space`` describe ONE environment, while
    all arrays have the batch in front. ``step`` after an episode's end resets that environment: it
    ignores the action and gives the new episode's first observation with reward 0.
    """

    metadata: dict[str, Any] = _metadata()

    def __init__(self, spec: EnvSpec) -> None:
        spec.require_reset_info()
        EnvPoolMixin.__init__(self, spec)
        self.observation_space = self.single_observation_space = spec.observation_space
        self.action_space = self.single_action_space = spec.action_space

    @property
    def unwrapped(self) -> GymnasiumEnvPool:
        """The pool itself."""
        return self
