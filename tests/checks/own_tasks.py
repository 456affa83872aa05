"""Our own tasks, and what they do as their originals do though the checks find it wrong."""

from __future__ import annotations

import envpool
from envpool.tasks.registry import registry

TASKS = [task for task in envpool.list_all_envs() if not task.startswith("testing/")]

# Checks that are skipped, by environment. Our bytes are Gymnasium's, and so are these.
LIKE_GYMNASIUM = {
    # A lander that spins leaves the bounds of its angle.
    "LunarLanderDiscrete": ("actions",),
    "LunarLanderContinuous": ("actions",),
    # Its world outlives episodes: the order of its contacts depends on what was before.
    "BipedalWalker": ("leftovers",),
    # Of actions up to 1e10, dm_control's simulation gets unstable.
    "DmcLqr": ("written", "actions", "leftovers", "wild_actions"),
}


def environment(task_id: str) -> str:
    """The native name of a task's environment."""
    return registry.find(task_id).spec_cls.removesuffix("EnvSpec")


def like_gymnasium(task_id: str) -> tuple[str, ...]:
    """The checks that the task does not pass, and must not."""
    return LIKE_GYMNASIUM.get(environment(task_id), ())


def one_per_environment() -> list[str]:
    """The last task of each environment, which often is the newest."""
    return list({environment(task_id): task_id for task_id in TASKS}.values())
