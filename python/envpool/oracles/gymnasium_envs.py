"""Gymnasium's classic control, toy text and Box2D."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import gymnasium
import numpy as np

from envpool.oracles.upstreams import Oracle, repeated

# NChain and Catch are those of packages that nobody can install any more.
_ELSEWHERE = {"NChain-v0": "gym before 0.20", "Catch-v0": "bsuite"}
_CONTROLS_OF_A_CAR = 3
# With more steering or braking a car stays on the spot.
_GENTLY = np.array([0.6, 1.0, 0.3], np.float32)


class Registered(Oracle):
    """Environments of Gymnasium's registry.

    Attributes:
        tasks: Gymnasium's id for each of ours; a task that is not there has the same id.
    """

    tasks: Mapping[str, str] = MappingProxyType({})

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        name = self.tasks.get(task_id, task_id)
        return gymnasium.make(name, disable_env_checker=True, **options)


class ClassicControl(Registered):
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


class ToyText(Registered):
    """Toy text, but for what is known of no package that can be installed."""

    tasks = MappingProxyType(
        {
            "FrozenLake-v1": "FrozenLake-v1",
            "FrozenLake8x8-v1": "FrozenLake8x8-v1",
            "Taxi-v3": "Taxi-v4",
            "Taxi-v4": "Taxi-v4",
            "CliffWalking-v0": "CliffWalking-v1",
            "CliffWalking-v1": "CliffWalking-v1",
            "tabular/CliffWalking-v0": "CliffWalking-v1",
            "CliffWalkingSlippery-v1": "CliffWalkingSlippery-v1",
            "Blackjack-v1": "Blackjack-v1",
            "tabular/Blackjack-v0": "Blackjack-v1",
        }
    )
    # Random walks along the cliff don't come to an end soon.
    limits = MappingProxyType({name: 150 for name in tasks if "Cliff" in name})
    always_drawn = ("Taxi",)  # which looks where it last went

    def lack(self, task_id: str) -> str:
        """See :class:`Oracle`."""
        if task_id not in _ELSEWHERE:
            return ""
        return f"it follows the rules of {_ELSEWHERE[task_id]}, whose generator is another one"

    def options(self, task_id: str) -> dict[str, Any]:
        """See :class:`Oracle`."""
        limit = self.limits.get(task_id)
        return {} if limit is None else {"max_episode_steps": limit}


class Box2D(Registered):
    """Box2D, under our ids."""

    always_drawn = ("LunarLander", "BipedalWalker")  # smoke that fades, and a ray that turns

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Each for some steps so that things move. CarRacing is given gas."""
        is_car = space.shape is not None and space.shape[1:] == (_CONTROLS_OF_A_CAR,)
        for action in repeated(space, seed):
            yield action * _GENTLY if is_car else action
