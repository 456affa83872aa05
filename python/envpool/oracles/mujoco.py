"""Gymnasium's MuJoCo environments, and the Humanoid-v3 of Gym, of which Gymnasium has no more."""

from __future__ import annotations

import contextlib
import math
from typing import Any
from unittest import mock

import gymnasium
import numpy as np
from gymnasium.envs.mujoco import humanoid_v4
from gymnasium.envs.registration import EnvSpec

import mujoco
from envpool.oracles.upstreams import Oracle


class HumanoidV3(humanoid_v4.HumanoidEnv):
    """Gym's Humanoid-v3: version 4 with a cost of contacts."""

    def __init__(
        self,
        contact_cost_weight: float = 5e-7,
        contact_cost_range: tuple[float, float] = (-math.inf, 10.0),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._contact_cost_weight = contact_cost_weight
        self._contact_cost_range = contact_cost_range

    def step(self, action: Any) -> Any:
        """See Gymnasium."""
        obs, _, terminated, truncated, info = super().step(action)
        squares = np.sum(np.square(self.data.cfrc_ext))
        contact_cost = np.clip(self._contact_cost_weight * squares, *self._contact_cost_range)
        rewards = info["reward_linvel"] + info["reward_alive"]
        costs = -info["reward_quadctrl"] + contact_cost
        entries = list(info.items())
        entries.insert(3, ("reward_impact", -contact_cost))
        return obs, rewards - costs, terminated, truncated, dict(entries)


_SPECS: dict[str, Any] = {
    "Humanoid-v3": EnvSpec("Humanoid-v3", entry_point=HumanoidV3, max_episode_steps=1000)
}
_DEFAULTS: dict[str, dict[str, Any]] = {"Ant-v3": {"use_contact_forces": True}}


def upstream(task_id: str) -> str:
    """The id of the same in Gymnasium, where versions 2 and 3 are gone.

    Args:
        task_id: Ours.
    """
    return task_id.replace("-v2", "-v4").replace("-v3", "-v4")


def old_enough(task_id: str) -> contextlib.AbstractContextManager[Any]:
    """Pusher-v4 refuses MuJoCo 3 because it computes other numbers, but it works.

    Args:
        task_id: Ours.
    """
    if upstream(task_id) != "Pusher-v4":
        return contextlib.nullcontext()
    return mock.patch.object(mujoco, "__version__", "2.3.7")


def make_theirs(
    task_id: str, max_episode_steps: int | None = None, **options: Any
) -> gymnasium.Env[Any, Any]:
    """Gymnasium's environment.

    Args:
        task_id: Our id.
        max_episode_steps: The limit, if not the task's.
        **options: Others, which Gymnasium calls as we do.
    """
    kwargs = _DEFAULTS.get(task_id, {}) | options
    with old_enough(task_id):
        return gymnasium.make(
            _SPECS.get(task_id, upstream(task_id)),
            max_episode_steps=max_episode_steps,
            disable_env_checker=True,
            **kwargs,
        )


def picture(env: gymnasium.Env[Any, Any]) -> Any:
    """Gymnasium's own picture of an environment.

    Its viewers make their contexts current only once, so they draw into each other's.

    Args:
        env: One of :func:`make_theirs`, with ``render_mode="rgb_array"``.
    """
    robot: Any = env.unwrapped
    robot.mujoco_renderer._get_viewer("rgb_array").make_context_current()
    return robot.render()


class Environments(Oracle):
    """Gymnasium's robots, in the versions that EnvPool has."""

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        return make_theirs(task_id, **options)

    def picture(self, env: gymnasium.Env[Any, Any]) -> Any:
        """See :class:`Oracle`."""
        return picture(env)
