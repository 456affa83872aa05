"""Gymnasium's Box2D."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

from envpool.oracles.upstreams import Registered, repeated

_CONTROLS_OF_A_CAR = 3
# With more steering or braking a car stays on the spot.
_GENTLY = np.array([0.6, 1.0, 0.3], np.float32)


class Environments(Registered):
    """Box2D, under our ids."""

    always_drawn = ("LunarLander", "BipedalWalker")  # smoke that fades, and a ray that turns

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Each for some steps so that things move. CarRacing is given gas."""
        is_car = space.shape is not None and space.shape[1:] == (_CONTROLS_OF_A_CAR,)
        for action in repeated(space, seed):
            yield action * _GENTLY if is_car else action
