"""Entry points by which ``gymnasium.make`` and ``gymnasium.make_vec`` make our tasks."""

from __future__ import annotations

import secrets
from typing import Any

from envpool.flavours.gymnasium import old_gymnasium
from envpool.flavours.native import refuse_python
from envpool.flavours.single import EnvPoolEnv
from envpool.flavours.strict import EnvPoolVectorEnv
from envpool.spec.env_spec import EnvSpec
from envpool.spec.memory import require_pool_memory
from envpool.spec.options import COMMON, RENDER_MODES, About
from envpool.spec.values import INT_MAX
from envpool.tasks.registry import PythonTask, registry


def make_single_env(task_id: str, **kwargs: Any) -> EnvPoolEnv:
    """Makes what ``gymnasium.make("envpool/" + task_id, **kwargs)`` puts its wrappers around.

    Args:
        task_id: The task, such as ``"CartPole-v1"``. Gymnasium's wrapper limits its episodes, so
            here they have no limit.
        **kwargs: The options of :func:`envpool.make` but for those about pools and episodes.
            Without a ``seed`` the environment is seeded at random, as Gymnasium's are.

    Raises:
        UnknownTaskError: There is no such task.
        TypeError: There is no such option, or its value has a wrong type.
        ValueError: An option's value is not allowed, or the task is written in Python.
    """
    for name in kwargs:
        if name in COMMON and About.SINGLE not in COMMON[name].about:
            raise TypeError(f"{name} is an option of pools, and this is a single environment")
    kwargs |= {"num_threads": 1, "max_episode_steps": INT_MAX, "autoreset_mode": "Disabled"}
    return EnvPoolEnv(_make_spec(task_id, **kwargs))


# gymnasium.make looks here for the modes before it calls; it makes "rgb_array_list" of "rgb_array".
make_single_env.metadata = {"render_modes": list(RENDER_MODES)}  # type: ignore[attr-defined]


def make_vector_env(task_id: str = "", num_envs: int = 1, **kwargs: Any) -> EnvPoolVectorEnv:
    """Makes what ``gymnasium.make_vec("envpool/" + task_id, num_envs, **kwargs)`` returns.

    Args:
        task_id: The task, such as ``"CartPole-v1"``; Gymnasium before 1.0 does not tell it.
        num_envs: How many environments.
        **kwargs: The options of :func:`envpool.make`; a ``max_episode_steps`` of -1 is no limit.
            Without a ``seed`` the environments are seeded at random, as Gymnasium's are.

    Raises:
        UnknownTaskError: There is no such task.
        TypeError: There is no such option, or its value has a wrong type.
        ValueError: An option's value is not allowed, or the task is written in Python.
        ImportError: Gymnasium is older than 1.0.
    """
    if not task_id:
        raise old_gymnasium("gymnasium.make_vec of our tasks")
    if kwargs.get("max_episode_steps") == -1:
        kwargs["max_episode_steps"] = INT_MAX
    return EnvPoolVectorEnv(_make_spec(task_id, num_envs=num_envs, **kwargs))


def _make_spec(task_id: str, seed: Any = None, **kwargs: Any) -> EnvSpec:
    """See :func:`envpool.make_spec`; here Python tasks are refused, and None is a random seed."""
    if isinstance(registry.find(task_id), PythonTask):
        refuse_python(task_id)
    if seed is not None:
        return registry.make_spec(task_id, seed=seed, **kwargs)
    spec = registry.make_spec(task_id, **kwargs)
    require_pool_memory(spec, has_batched_spaces=True)
    bits = min(63, spec.known.seed_bits)
    return spec.changed(seed=[secrets.randbits(bits) for _ in range(spec.config.num_envs)])
