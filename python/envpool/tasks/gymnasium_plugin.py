"""Our tasks in Gymnasium's registry: ``gymnasium.make_vec("envpool/CartPole-v1", num_envs=8)``.

:func:`register_tasks` is called by whoever comes first:

- Gymnasium before 1.0, which loads the entry points ``gymnasium.envs`` when it is imported;
- ``_envpool_gymnasium.py``, at the end of ``import gymnasium``, because later versions don't;
- ``import envpool``, if Gymnasium is there already. This is also how
  ``gymnasium.make_vec("envpool:envpool/CartPole-v1")`` works, which needs neither of the others.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any

from envpool.tasks import registration
from envpool.tasks.ids import gymnasium_id
from envpool.tasks.plugins import load_plugins
from envpool.tasks.task import Task


def _make_vector_env(task_id: str, **kwargs: Any) -> Any:
    from envpool.tasks.gymnasium_makers import make_vector_env

    return make_vector_env(task_id, **kwargs)


def is_loaded() -> bool:
    """Is Gymnasium's registry there? What is in sys.modules may not have run to its end yet."""
    return hasattr(sys.modules.get("gymnasium.envs.registration"), "register")


def register_tasks() -> None:
    """Adds all tasks to Gymnasium's registry, except those that it has; see :func:`add_task`.

    Tasks that are registered later, as those of plugins here, come by themselves.
    """
    # Only this module, because versions before 1.0 call this before `import gymnasium` is through.
    importlib.import_module("gymnasium.envs.registration")
    for task_id, task in list(registration.registry.tasks.items()):
        add_task(task_id, task)
    load_plugins()


def add_task(task_id: str, task: Task) -> None:
    """Adds a task to Gymnasium's registry, if that is loaded and does not have it.

    The task ``CartPole-v1`` becomes ``envpool/CartPole-v1`` and ``phys2d/CartPole-v1`` becomes
    ``envpool/phys2d-CartPole-v1``.

    Gymnasium takes what only the version tells apart for the same task, and the highest version for
    the best. So one of two tasks that have nothing else in common is known by another id there (see
    ``EnvRegistry.register``), though its own name finds it, too.
    """
    if not is_loaded():
        return
    from gymnasium.envs import registration as gymnasium_registration
    from gymnasium.envs.registration import EnvSpec, registry

    entry_id = gymnasium_id(task_id)
    if entry_id in registry:
        return
    vector_entry_point: Any = "envpool.tasks.gymnasium_makers:make_vector_env"
    if not hasattr(gymnasium_registration, "VectorizeMode"):
        # Before 1.0, it leaves the spec's kwargs out.
        vector_entry_point = functools.partial(_make_vector_env, task_id)
    entries: dict[str, Any] = {
        "id": entry_id,
        "reward_threshold": task.kwargs.get("reward_threshold"),
        "max_episode_steps": task.kwargs.get("max_episode_steps"),
    }
    spec = EnvSpec(
        entry_point="envpool.tasks.gymnasium_makers:make_single_env",
        vector_entry_point=vector_entry_point,
        kwargs={"task_id": task_id},
        **{**entries, **task.gymnasium},
    )
    # Not gymnasium.register: it replaces, with a warning, what is there; and before 1.0 it puts
    # everything into the namespace of the plugin that is being loaded, which may be another one
    # that imports envpool.
    registry[entry_id] = registry[spec.id] = spec


registration.registry.listeners.append(add_task)
