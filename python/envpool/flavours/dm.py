"""DMEnvPool: a pool that speaks dm_env's API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from envpool.flavours.base import EnvPool
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import import_dm_env
from envpool.spec.plans import dm_plans
from envpool.spec.values import AutoresetMode, parse_mode

if TYPE_CHECKING:
    import dm_env


class DMEnvPool(EnvPool):
    """Many environments as one :class:`dm_env.Environment`.

    Only the tasks' classes are derived from that class; this one can be imported without dm_env.

    The arrays of a ``TimeStep`` have the batch as first axis: ``step_type`` int32, ``reward`` and
    ``discount`` float32, and ``observation`` a named tuple ``State`` with ``env_id``,
    ``players.env_id``, ``obs`` (or the task's own keys) and the task's infos; with
    ``record_episode_statistics`` also ``episode.r``, ``episode.l`` and ``episode.done``, which is
    True where these are those of a finished episode. ``first()``, ``mid()`` and ``last()`` compare
    element by element. A termination has discount 0, a truncation discount 1, as dm_env defines
    them, unless the task has discounts of its own.
    """

    _plans = staticmethod(dm_plans)
    _native_options: ClassVar[dict[str, Any]] = {"time_step": True}

    def __init__(self, spec: EnvSpec) -> None:
        if parse_mode(spec.config.autoreset_mode) is not AutoresetMode.NEXT_STEP:
            raise ValueError(
                f"autoreset_mode is {spec.config.autoreset_mode!r}, expected 'NextStep': "
                "in dm_env the step after a LAST gives a FIRST"
            )
        self._time_step = import_dm_env().TimeStep  # before there are threads
        EnvPool.__init__(self, spec)
        self._state = spec.spaces.dm_state

    def _to_output(self, results: tuple[Any, ...]) -> dm_env.TimeStep:
        step_type, reward, discount, observation = results
        observation = self._state.build(observation)
        step: dm_env.TimeStep = self._time_step(step_type, reward, discount, observation)
        return step

    def observation_spec(self) -> Any:
        """dm_env's specs of one environment's observation."""
        return self._spec.observation_spec()

    def action_spec(self) -> Any:
        """dm_env's spec of one environment's action."""
        return self._spec.action_spec()

    def reward_spec(self) -> Any:
        """dm_env's spec of one environment's (or one player's) reward."""
        return import_dm_env("dm_env.specs").Array((), np.float32, name="reward")

    def discount_spec(self) -> Any:
        """dm_env's spec of one environment's (or one player's) discount."""
        return import_dm_env("dm_env.specs").BoundedArray((), np.float32, 0.0, 1.0, name="discount")
