"""Draws classic control with the renderers of Gymnasium's own environments.

Gymnasium's environment is given the native one's state and a surface to draw on; where it has none,
it would open a display for it. The state has the dtype that Gymnasium's own has at that time,
because NumPy computes where things are in that dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.envs.classic_control.acrobot import AcrobotEnv
from gymnasium.envs.classic_control.cartpole import CartPoleEnv
from gymnasium.envs.classic_control.continuous_mountain_car import Continuous_MountainCarEnv
from gymnasium.envs.classic_control.mountain_car import MountainCarEnv
from gymnasium.envs.classic_control.pendulum import PendulumEnv
from numpy.typing import NDArray

from envpool.render.drawing import Drawer, Scene, load_pygame


class _GymnasiumDrawer:
    """The base of all drawers here; a subclass may prepare :attr:`env` further.

    Args:
        options: The values of the native environment's options.
    """

    env_type: Any
    size: tuple[int, int]

    def __init__(self, options: dict[str, Any]) -> None:
        self.env = self.env_type(render_mode="rgb_array")
        self.env.screen = load_pygame().Surface(self.size)

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """See :meth:`envpool.render.drawing.Drawer.draw`."""
        is_float32 = "is_float32" in scene and scene["is_float32"][0] == 1.0
        self.env.state = scene["state"].astype(np.float32 if is_float32 else np.float64)
        frame: NDArray[np.uint8] = self.env.render()
        return frame


class CartPoleDrawer(_GymnasiumDrawer):
    """Draws CartPole."""

    env_type = CartPoleEnv
    size = (600, 400)

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        self.env.length = options["length"]


class PendulumDrawer(_GymnasiumDrawer):
    """Draws Pendulum, and an arrow for the last step's torque."""

    env_type = PendulumEnv
    size = (500, 500)

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """See :meth:`envpool.render.drawing.Drawer.draw`."""
        torque = scene["last_u"].astype(np.float32)
        self.env.last_u = torque[0] if torque.size else None
        return super().draw(scene)


class MountainCarDrawer(_GymnasiumDrawer):
    """Draws MountainCar."""

    env_type = MountainCarEnv
    size = (600, 400)


class MountainCarContinuousDrawer(_GymnasiumDrawer):
    """Draws MountainCarContinuous."""

    env_type = Continuous_MountainCarEnv
    size = (600, 400)


class AcrobotDrawer(_GymnasiumDrawer):
    """Draws Acrobot."""

    env_type = AcrobotEnv
    size = (500, 500)


DRAWERS: dict[str, type[Drawer]] = {
    "CartPole": CartPoleDrawer,
    "Pendulum": PendulumDrawer,
    "MountainCar": MountainCarDrawer,
    "MountainCarContinuous": MountainCarContinuousDrawer,
    "Acrobot": AcrobotDrawer,
}
