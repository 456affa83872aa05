"""What pools of environments written in Python return, as plans for native results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from envpool.spec.plans import Plans
from envpool.workers.spaces import SpaceLeaves

# Of the leaves of the observation space, and the names of the native infos.
MakePlans = Callable[[SpaceLeaves, list[str]], Plans]


def gymnasium_plans(observation: SpaceLeaves, infos: list[str]) -> Plans:
    """What the native pool returns where results are those of Gymnasium's vector environments.

    Args:
        observation: The leaves of the observation space.
        infos: The names of infos that it could have, and has not.
    """
    row = observation.plan("obs.")
    step: tuple[Any, ...] = (row, "@reward", "@terminated", "@truncated", {})
    return Plans(step=step, reset=(row, {}), final_step=step)
