"""GymEnvPool: a pool that speaks the API of an old gym, before 0.26."""

from __future__ import annotations

import copy
from typing import Any

import gym

from envpool.flavours.base import EnvPool
from envpool.flavours.final_rows import merge_final
from envpool.spec.env_spec import EnvSpec

# Of metadata, until gym 0.22.
_OLD_KEYS = {"render_modes": "render.modes", "render_fps": "video.frames_per_second"}


class GymEnvPool(EnvPool, gym.Env):  # type: ignore[misc]
    """Many environments as one :class:`gym.Env`, as EnvPool made them until it dropped gym.

    ``reset``, and ``recv`` of a reset, return observations only unless the pool was made with
    ``gym_reset_return_info=True``. ``step`` and ``recv`` return ``(observation, reward, done,
    info)``, where ``info["TimeLimit.truncated"]`` says which episodes ended only because of their
    time limit. The spaces, also those of ``spec``, are gym's. All else is as in
    :class:`envpool.GymnasiumEnvPool`.
    """

    _may_omit_infos = True

    def __init__(self, spec: EnvSpec) -> None:
        EnvPool.__init__(self, spec)
        known = spec.pictures.metadata
        self.metadata = known | {_OLD_KEYS[key]: value for key, value in known.items()}
        self._reset_returns_info = bool(spec.config.gym_reset_return_info)
        self.observation_space = spec.spaces.made_of("observation", gym.spaces)
        self.action_space = spec.spaces.made_of("action", gym.spaces)
        self.single_observation_space = self.observation_space
        self.single_action_space = self.action_space
        # Others may have the same spec in another flavour.
        self.spec = copy.copy(spec)
        self.spec.observation_space = self.observation_space
        self.spec.action_space = self.action_space

    def _to_output(self, results: tuple[Any, ...]) -> Any:
        if len(results) == 2:  # noqa: PLR2004 - a reset's
            return results if self._reset_returns_info else results[0]
        observation, reward, terminated, truncated, info = merge_final(results)
        info["TimeLimit.truncated"] = truncated & ~terminated
        return observation, reward, terminated | truncated, info
