"""dm_control's own environments, by EnvPool's ids; needs the package `dm_control`."""

import importlib
import os
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import makers

Array = NDArray[Any]


def make(order: makers.Order) -> makers.Make:
    """A loop over them."""
    order.refuse("the loop over dm_control's environments", frames=True, batches=True)
    return partial(Loop, order.task, order.num_envs, makers.SEED)


def load(task: str, seed: int) -> Any:
    """The environment of dm_control's suite that has this id here."""
    os.environ.setdefault("MUJOCO_GL", "disable")  # Otherwise it looks for a display.
    registration = importlib.import_module("envpool.families.dm_control.registration")
    suite = importlib.import_module("dm_control.suite")
    names = {
        registration.task_id(domain, name): (domain, name)
        for domain, tasks in registration.SUITE.items()
        for name in tasks
    }
    return suite.load(*names[task], task_kwargs={"random": seed})


def action_space(env: Any) -> Any:
    """Gymnasium's space for the actions of an environment of dm_control's."""
    spec = env.action_spec()
    box = importlib.import_module("gymnasium.spaces").Box
    return box(spec.minimum, spec.maximum, spec.shape, np.float64)


class Loop:
    """Environments that are stepped one after another in Python; one that has ended is reset."""

    def __init__(self, task: str, num_envs: int, seed: int) -> None:
        self._envs = [load(task, seed + i) for i in range(num_envs)]
        self.action_space = self.single_action_space = action_space(self._envs[0])

    def reset(self, seed: int) -> list[Any]:
        """They have their seeds."""
        return [env.reset() for env in self._envs]

    def step(self, actions: Array) -> list[Any]:
        return [env.step(action) for env, action in zip(self._envs, actions, strict=True)]

    def close(self) -> None:
        for env in self._envs:
            env.close()
