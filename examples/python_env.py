r"""A game written in Python: a hummingbird flies from blossom to blossom.

    cd examples
    python ppo.py --task python_env:Hummingbird-v0  # learns it in about half a minute
    python -m envpool bench python_env:Hummingbird-v0
    python -m envpool film python_env:Hummingbird-v0 --policy python_env:pilot \
        --num-envs 4 --steps 120 --out hummingbirds.gif

Nothing here depends on envpool. The game is a class with Gymnasium's methods, and the call at the
end gives it an id. Making ``python_env:Hummingbird-v0`` imports this module first, also in the
worker processes of the pool, which run many games at once.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

Array = NDArray[Any]

SECONDS_PER_STEP = 0.05
GRAVITY = np.array([0.0, -0.5])  # widths of the garden, which is 1 wide and 1 high, per s^2
THRUST = np.array([[0.0, 0.0], [-2.0, 0.0], [2.0, 0.0], [0.0, 2.0]])  # rest, left, right, up
DRAG = 0.97  # of the speed, what is left after a step
REACH = 0.08  # so near to a blossom the bird drinks
MARGIN = 0.15  # no blossom is nearer to the edge
SIZE = 96  # pixels of a picture's side
SKY, BIRD, BLOSSOM = (200, 225, 245), (20, 110, 80), (215, 60, 130)


class Hummingbird(gymnasium.Env[Array, np.int64]):
    """Fly to the blossom, which then opens elsewhere, and stay in the garden.

    Observations are the bird's place and speed, and the way to the blossom. The reward is 1 for a
    blossom, and beside that what the bird gets nearer by; leaving the garden costs 1 and ends it.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012 - Gymnasium's way
    observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)
    action_space = spaces.Discrete(len(THRUST))

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.place = self.speed = self.blossom = np.zeros(2)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """A bird at rest, and a blossom somewhere."""
        super().reset(seed=seed)
        self.place, self.speed = self._somewhere(), np.zeros(2)
        self.blossom = self._somewhere()
        return self._observe(), {}

    def step(self, action: np.int64) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Fly for a moment."""
        before = self._distance()
        self.speed = DRAG * (self.speed + SECONDS_PER_STEP * (THRUST[action] + GRAVITY))
        self.place = self.place + SECONDS_PER_STEP * self.speed
        reward = before - self._distance()
        if self._distance() < REACH:
            reward += 1.0
            self.blossom = self._somewhere()
        has_left = bool((abs(self.place - 0.5) > 0.5).any())
        return self._observe(), reward - has_left, has_left, False, {}

    def render(self) -> Array:
        """The garden, with the bird in green and the blossom in red."""
        picture = np.full((SIZE, SIZE, 3), SKY, np.uint8)
        rows, columns = np.mgrid[:SIZE, :SIZE] / SIZE
        for place, radius, color in ((self.blossom, 0.05, BLOSSOM), (self.place, 0.03, BIRD)):
            picture[np.hypot(columns - place[0], 1 - rows - place[1]) < radius] = color
        return picture

    def _somewhere(self) -> Array:
        return self.np_random.uniform(MARGIN, 1 - MARGIN, 2)

    def _distance(self) -> float:
        return float(np.hypot(*(self.blossom - self.place)))

    def _observe(self) -> Array:
        return np.concatenate([self.place, self.speed, self.blossom - self.place], dtype=np.float32)


def pilot(observation: Array) -> Array:
    """Actions for birds that somebody has thought about instead of learning it."""
    speed, way = observation[:, 2:4], observation[:, 4:]
    sideward, upward = (2.5 * way - speed).T
    action = np.where(sideward > 0, 2, 1)
    return np.where(upward > 0.5 * abs(sideward), 3, action)


gymnasium.register(
    "Hummingbird-v0", f"{__name__}:Hummingbird", max_episode_steps=200, reward_threshold=10.0
)
