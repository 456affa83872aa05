"""Warns who has many single environments where one vector environment would serve."""

from __future__ import annotations

import importlib
import warnings
import weakref
from typing import TYPE_CHECKING

from envpool.tasks.registry import gymnasium_id

if TYPE_CHECKING:
    from envpool.flavours.single import EnvPoolEnv

MOST = 4  # of a task, without a warning

_open: dict[str, list[weakref.ref[EnvPoolEnv]]] = {}
_has_warned = False


def count_single(task_id: str, env: EnvPoolEnv) -> None:
    """Warns once in a process, when it has more than a few open environments of a task.

    Args:
        task_id: The task, such as ``"CartPole-v1"``.
        env: One that ``gymnasium.make`` is about to return.
    """
    global _has_warned  # noqa: PLW0603 - it is about the process
    if _has_warned:
        return
    # Without a lock, which a fork might leave locked; threads may miss one another's.
    others = [ref for ref in _open.get(task_id, ()) if (one := ref()) and not one.closed]
    _open[task_id] = [*others, weakref.ref(env)]
    count = len(_open[task_id])
    if count <= MOST:
        return
    _has_warned = True
    warnings.warn(
        f"this process has made {count} environments of {task_id} one by one, and each is stepped "
        f'on its own: gymnasium.make_vec("{gymnasium_id(task_id)}", num_envs={count}, '
        f'vectorization_mode="{_mode()}") makes a vector environment that steps them as one. '
        'With RLlib: gym_env_vectorize_mode="vector_entry_point"; with Stable-Baselines3: '
        "envpool.sb3.VecEnv",
        stacklevel=4,  # who called gymnasium.make
    )


def _mode() -> str:
    """What Gymnasium calls it that a task makes its own vector environments."""
    is_new = hasattr(importlib.import_module("gymnasium.envs.registration"), "VectorizeMode")
    return "vector_entry_point" if is_new else "custom"
