"""Gymnasium's Box2D environments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

from envpool.oracles.oracle import Oracle, repeated

_CONTROLS_OF_A_CAR = 3
_GENTLY = np.array(
    [0.6, 1.0, 0.3], np.float32
)  # more steering or braking, and it stays on the spot


class Box2D(Oracle):
    """Environments of Gymnasium's registry, under our ids."""

    always_drawn = ("LunarLander", "BipedalWalker")  # smoke that fades, and a ray that turns

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        return gymnasium.make(task_id, disable_env_checker=True, **options)

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Each for some steps so that things move. CarRacing is given gas."""
        is_car = space.shape is not None and space.shape[1:] == (_CONTROLS_OF_A_CAR,)
        for action in repeated(space, seed):
            yield action * _GENTLY if is_car else action


ORACLE = Box2D()
