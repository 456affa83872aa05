"""dm_control's suite, and the same in Gymnasium's API."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import gymnasium
import numpy as np
from dm_control.rl import control
from gymnasium import spaces
from numpy.typing import NDArray

import mujoco
from dm_control import suite
from envpool.families.dm_control.registration import SUITE, task_id
from envpool.oracles.upstreams import Oracle

# dm_control has MuJoCo warn through a logger; other tests look for MuJoCo's own file.
mujoco.set_mju_user_warning(None)

# Quadruped's escape would open a window to show its terrain in pictures.
suite.quadruped.Physics.contexts = None

# By our ids.
TASKS = {task_id(domain, task): (domain, task) for domain, tasks in SUITE.items() for task in tasks}
_LQR_LIMIT_S = 1000 * 0.03  # its episodes have no limit there; EnvPool's have


def make_theirs(name: str, seed: int, **environment_kwargs: Any) -> Any:
    """dm_control's environment.

    Args:
        name: Our id.
        seed: Of its generator.
        **environment_kwargs: As for dm_control's Environment.
    """
    domain, task = TASKS[name]
    task_kwargs: dict[str, Any] = {"random": seed}
    if domain == "lqr":
        task_kwargs["time_limit"] = _LQR_LIMIT_S
    env = suite.load(domain, task, task_kwargs)
    if not environment_kwargs:
        return env
    # The suite passes some of these itself, and then takes no others.
    return control.Environment(env.physics, env.task, **environment_kwargs)


def arrays_of(observation: OrderedDict[str, Any]) -> dict[str, NDArray[np.float64]]:
    """Observations as ours are: all of them arrays.

    Args:
        observation: dm_control's.
    """
    return {key: np.asarray(value, np.float64) for key, value in observation.items()}


class SuiteEnv(gymnasium.Env[Any, Any]):
    """A task of the suite in Gymnasium's API; a reset with a seed makes it anew.

    Args:
        name: Our id.
        seed: What it is first reset with.
        render_mode: ``"rgb_array"`` or None.
        **environment_kwargs: As for :func:`make_theirs`.
    """

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self, name: str, seed: int, render_mode: str | None = None, **environment_kwargs: Any
    ) -> None:
        self.render_mode = render_mode
        self._seed = seed
        self._make = lambda seed: make_theirs(name, seed, **environment_kwargs)
        self._env = self._make(seed)
        actions = self._env.action_spec()
        self.action_space = spaces.Box(actions.minimum, actions.maximum, dtype=np.float64)
        # Ordered, or Gymnasium would sort it.
        self.observation_space = spaces.Dict(
            OrderedDict(
                (key, spaces.Box(-np.inf, np.inf, np.shape(value), np.float64))
                for key, value in self._env.observation_spec().items()
            )
        )

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """See Gymnasium."""
        if seed is not None and seed != self._seed:
            self._env = self._make(seed)
        self._seed = -1  # it has been used
        return arrays_of(self._env.reset().observation), {}

    def step(self, action: Any) -> Any:
        """See Gymnasium."""
        step = self._env.step(action)
        ends = step.last()
        terminated, truncated = ends and step.discount == 0.0, ends and step.discount == 1.0
        return arrays_of(step.observation), step.reward, terminated, truncated, {}

    def render(self) -> Any:
        """The picture that the suite draws by default."""
        return self._env.physics.render(camera_id=-1)


class Environments(Oracle):
    """The suite's tasks."""

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        if options.get("render_mode") and "contexts" in vars(suite.quadruped.Physics):
            del suite.quadruped.Physics.contexts
        return SuiteEnv(task_id, seed, **options)
