"""metaworld, with what it needs to run on a MuJoCo of today."""

from __future__ import annotations

from typing import Any

import gymnasium
from metaworld.env_dict import ALL_V3_ENVIRONMENTS
from metaworld.sawyer_xyz_env import SawyerMocapBase

import mujoco
from envpool.families.metaworld.registration import TASKS
from envpool.oracles.mujoco import picture
from envpool.oracles.upstreams import Oracle

# In the order that most tasks have.
_INFOS = (
    *("success", "near_object", "grasp_success", "grasp_reward", "in_place_reward"),
    *("obj_to_target", "unscaled_reward"),
)
_WELD = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 5.0)


def _reset_mocap_welds(self: Any) -> None:
    """Upstream's own, which writes 11 numbers: since MuJoCo 3.17, a row has 12."""
    for i, kind in enumerate(self.model.eq_type):
        if kind == int(mujoco.mjtEq.mjEQ_WELD):
            self.model.eq_data[i, : len(_WELD)] = _WELD


SawyerMocapBase.reset_mocap_welds = _reset_mocap_welds


class Seeded(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A task whose resets are seeded, which upstream's are not, and whose numbers are float64.

    Args:
        env: Upstream's own.
        partially_observable: Whether the goal is hidden.
        task_vectors: What each episode begins with, if that is not drawn.
    """

    def __init__(self, env: Any, partially_observable: bool, task_vectors: Any) -> None:
        env.seeded_rand_vec = env._set_task_called = True
        env._freeze_rand_vec = len(task_vectors) > 0
        env._last_rand_vec = task_vectors
        env._partially_observable = partially_observable
        del env.sawyer_observation_space  # which is cached
        env.observation_space = env.sawyer_observation_space
        super().__init__(env)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """See Gymnasium."""
        if seed is not None:
            self.unwrapped.seed(seed)  # type: ignore[attr-defined]
        return self.env.reset()

    def step(self, action: Any) -> Any:
        """See Gymnasium."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        numbers = {key: float(info[key]) for key in _INFOS}
        return observation, float(reward), terminated, truncated, numbers


def make_theirs(
    task_id: str,
    *,
    partially_observable: bool = True,
    task_vectors: Any = (),
    max_episode_steps: int = 500,
    **kwargs: Any,
) -> gymnasium.Env[Any, Any]:
    """An environment of metaworld.

    Args:
        task_id: Our id.
        partially_observable: As our option.
        task_vectors: Likewise.
        max_episode_steps: Likewise; at most 500.
        **kwargs: By upstream's names.
    """
    env = ALL_V3_ENVIRONMENTS[TASKS[task_id]](**kwargs)
    seeded = Seeded(env, partially_observable, task_vectors)
    return gymnasium.wrappers.TimeLimit(seeded, max_episode_steps)


class Environments(Oracle):
    """Meta-World's tasks."""

    # An episode's first picture has the goal where the first of two movements of the hand has left
    # the object's height, which is nothing else's business, and not simulated here.
    drawn_last = ("/Push", "/StickPush")

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        return make_theirs(task_id, **options)

    def picture(self, env: gymnasium.Env[Any, Any]) -> Any:
        """See :class:`Oracle`."""
        return picture(env)
