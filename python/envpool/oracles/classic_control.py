"""Gymnasium's classic control."""

from __future__ import annotations

from types import MappingProxyType

from envpool.oracles.upstreams import Registered


class Environments(Registered):
    """Classic control."""

    tasks = MappingProxyType(
        {
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
    )
