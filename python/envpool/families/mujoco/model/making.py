"""How pools of one's own models are made, and their tasks registered."""

from __future__ import annotations

import importlib
from typing import Any

from envpool.families.mujoco.model.task import Task
from envpool.tasks.export import make_from_spec
from envpool.tasks.registration import register_family_task

_PACKAGE = "envpool.families.mujoco.model"
_NAME = "MujocoModel"


def make_mujoco(
    task: Task | type[Task] | None = None,
    env_type: str = "gymnasium",
    *,
    old_gym: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Makes a pool of environments with a MuJoCo model of one's own.

    >>> import envpool
    >>> class Balance(envpool.mujoco.Task):
    ...     model = "pole.xml"
    ...     max_episode_steps = 500
    ...     def reward(self, batch):
    ...         fallen = abs(batch["qpos"][:, 1]) > 0.2
    ...         return envpool.mujoco.Outcome(1.0 - fallen, terminated=fallen)
    >>> env = envpool.make_mujoco(Balance, num_envs=64)  # doctest: +SKIP

    Physics, observations, random variations, time limits and resets are computed by native threads;
    rewards by one call of NumPy per batch, in the thread that receives it.

    Args:
        task: A :class:`Task`, or the class of one. Left out, there are no rewards, but physics.
        env_type: The API of the pool; see :func:`envpool.make`.
        old_gym: See :func:`envpool.make`.
        **kwargs: The task's attributes, which these take the place of, and the options of
            :func:`envpool.make`.

    Raises:
        TypeError: There is no such option, or its value has a wrong type.
        ArgumentError: A value is not allowed: the model does not compile, or has nothing of a name.
        ImportError: There is no MuJoCo, or of another version.
    """
    kind = getattr(importlib.import_module(_PACKAGE), f"{_NAME}EnvSpec")
    given = kwargs if task is None else {"task": task, **kwargs}
    return make_from_spec(kind.of_options(kind.known.read(given)), env_type, old_gym)


def register_mujoco(task_id: str, task: Task | type[Task], **kwargs: Any) -> None:
    """Adds a task under an id, by which :func:`envpool.make`, Gymnasium and others find it.

    Args:
        task_id: The id, such as ``"mine/Reach-v0"``.
        task: A :class:`Task`, or the class of one.
        **kwargs: Options that differ from its attributes.

    Raises:
        TypeError: The id is no string.
        ArgumentError: It is not valid, or there is another task of that id.
    """
    if task.max_episode_steps is not None:  # Gymnasium asks for it, too
        kwargs.setdefault("max_episode_steps", task.max_episode_steps)
    register_family_task(_PACKAGE, task_id, _NAME, task=task, **kwargs)
