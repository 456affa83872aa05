"""Gymnasium's classic control."""

from __future__ import annotations

from typing import Any

import gymnasium

from envpool.oracles.oracle import Oracle

# Ours, and what Gymnasium calls it.
TASKS = {
    "CartPole-v0": "CartPole-v0",
    "CartPole-v1": "CartPole-v1",
    "phys2d/CartPole-v0": "CartPole-v0",
    "phys2d/CartPole-v1": "CartPole-v1",
    "Pendulum-v0": "Pendulum-v1",
    "Pendulum-v1": "Pendulum-v1",
    "phys2d/Pendulum-v0": "Pendulum-v1",
    "MountainCar-v0": "MountainCar-v0",
    "MountainCarContinuous-v0": "MountainCarContinuous-v0",
    "Acrobot-v1": "Acrobot-v1",
}


class ClassicControl(Oracle):
    """Environments of Gymnasium's registry."""

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        return gymnasium.make(TASKS[task_id], disable_env_checker=True, **options)


ORACLE = ClassicControl()
