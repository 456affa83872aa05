"""Our tasks in Gymnasium's registry: ``gymnasium.make_vec("envpool/CartPole-v1", num_envs=8)``.

:func:`register_tasks` is called by whoever comes first:

- Gymnasium before 1.0, which loads the entry points ``gymnasium.envs`` when it is imported;
- ``_envpool_gymnasium.py``, at the end of ``import gymnasium``, because later versions don't;
- ``import envpool``, if Gymnasium is there already. This is also how
  ``gymnasium.make_vec("envpool:envpool/CartPole-v1")`` works, which needs neither of the others.
"""

from __future__ import annotations

import functools
from typing import Any

from envpool.tasks import registration


def _make_vector_env(task_id: str, **kwargs: Any) -> Any:
    from envpool.tasks.gymnasium_makers import make_vector_env

    return make_vector_env(task_id, **kwargs)


def register_tasks() -> None:
    """Adds all tasks to Gymnasium's registry, except those that it has.

    The task ``CartPole-v1`` becomes ``envpool/CartPole-v1`` and ``phys2d/CartPole-v1`` becomes
    ``envpool/phys2d-CartPole-v1``. Tasks that are registered later need another call.

    Gymnasium takes what only the version tells apart for the same task, and the highest version for
    the best. So one of two tasks that have nothing else in common is known by another id there (see
    ``EnvRegistry.register``), though its own name finds it, too.
    """
    # Only this module, because versions before 1.0 call this before `import gymnasium` is through.
    from gymnasium.envs import registration as gymnasium_registration
    from gymnasium.envs.registration import EnvSpec, registry

    is_old = not hasattr(gymnasium_registration, "VectorizeMode")  # before 1.0
    for task_id, task in registration.registry.tasks.items():
        gymnasium_id = "envpool/" + task_id.replace("/", "-")
        # Not gymnasium.register: it replaces, with a warning, what is there; and before 1.0 it puts
        # everything into the namespace of the plugin that is being loaded, which may be another
        # one that imports envpool.
        vector_entry_point: Any = "envpool.tasks.gymnasium_makers:make_vector_env"
        if is_old:  # it leaves the spec's kwargs out
            vector_entry_point = functools.partial(_make_vector_env, task_id)
        if gymnasium_id not in registry:
            entries: dict[str, Any] = {
                "id": gymnasium_id,
                "reward_threshold": task.kwargs.get("reward_threshold"),
                "max_episode_steps": task.kwargs.get("max_episode_steps"),
            }
            spec = EnvSpec(
                entry_point="envpool.tasks.gymnasium_makers:make_single_env",
                vector_entry_point=vector_entry_point,
                kwargs={"task_id": task_id},
                **(entries | task.gymnasium),
            )
            registry[gymnasium_id] = registry[spec.id] = spec
