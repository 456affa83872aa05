"""Environments written in Python for the tests of VecEnv, which workers import."""

import os
import signal
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

SITES = 4


class Depot(gymnasium.Env):
    """Sites are emptied one after the other. Empty ones are closed: no action may go there.

    Args:
        where: Where the mask of open sites is: in the "observation", the "info", or a "method".
        wrong: A mask that is given in the third step of each episode instead.
    """

    action_space = spaces.Discrete(SITES)

    def __init__(self, where: str = "observation", wrong: Any = None) -> None:
        self.where = where
        self.wrong = wrong
        self.observation_space: spaces.Space = spaces.Box(0, 9, (SITES,), np.float32)
        if where == "observation":
            mask = spaces.MultiBinary(SITES)
            self.observation_space = spaces.Dict(stock=self.observation_space, action_mask=mask)
        if where == "method":
            self.action_masks = self._mask

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        super().reset(seed=seed)
        most = (options or {}).get("most", 3)
        self.stock = self.np_random.integers(1, most + 1, SITES)
        self.count = 0
        return self._observe(), self._info({"most": most})

    def step(self, action: Any) -> Any:
        if not self._mask()[action]:
            raise ValueError(f"site {action} is closed")
        self.count += 1
        self.stock[action] -= 1
        # No vector environment of Gymnasium's could merge these.
        info = {"site": "north" if action else 0, "last": [int(action)]}
        is_done, is_late = not self.stock.any(), self.count == 2 * SITES
        return self._observe(), float(action) / 3, is_done, is_late, self._info(info)

    def _mask(self) -> Any:
        if self.count == 3 and self.wrong is not None:
            return self.wrong
        open_sites = (self.stock > 0).astype(np.int8)
        return open_sites if open_sites.any() else np.ones(SITES, np.int8)

    def _observe(self) -> Any:
        stock = self.stock.astype(np.float32)
        if self.where == "observation":
            return {"stock": stock, "action_mask": self._mask()}
        return stock

    def _info(self, info: dict[str, Any]) -> dict[str, Any]:
        return info | {"action_mask": self._mask()} if self.where == "info" else info


class DepotOfTheirs(Depot):
    """The same with the method that sb3-contrib asks for."""

    def action_masks(self) -> Any:
        """The open sites."""
        return self._mask()


class Loose(gymnasium.Env):
    """Observes in other types than its space has, as Stable-Baselines3's own accept it."""

    observation_space = spaces.Box(0, 255, (2,), np.uint8)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        return np.array([1.7, 2.0]), {}

    def step(self, action: Any) -> Any:
        return np.array([3, action]), True, False, False, {}


class Doors(gymnasium.Env):
    """A door and a key for it: the door that was taken last is locked."""

    action_space = spaces.MultiDiscrete([2, 3])
    observation_space = spaces.Dict(
        door=spaces.Discrete(2), action_mask=spaces.Box(0, 1, (5,), np.int8)
    )

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        super().reset(seed=seed)
        self.door, self.count = 0, 0
        return self._observe(), {}

    def step(self, action: Any) -> Any:
        assert action[0] != self.door
        assert action[1] != self.count % 3
        self.door, self.count = int(action[0]), self.count + 1
        return self._observe(), 1.0, self.count == 7, False, {}

    def _observe(self) -> Any:
        mask = np.ones(5, np.int8)
        mask[self.door] = mask[2 + self.count % 3] = 0
        return {"door": self.door, "action_mask": mask}


class Fragile(Depot):
    """Raises in the third step of an episode whose seed is odd."""

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> Any:
        self.is_odd = bool(seed and seed % 2)
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> Any:
        if self.count == 2 and self.is_odd:
            self.break_down()
        return super().step(action)

    def break_down(self) -> None:
        raise KeyError("broken")


class Deadly(Fragile):
    """Ends its process instead."""

    def break_down(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Drawn(Depot):
    """Draws its stock."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 7}  # noqa: RUF012 - Gymnasium's own

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__("info")
        self.render_mode = render_mode

    def render(self) -> Any:
        return np.full((4, 6, 3), 10 * self.stock.sum(), np.uint8)
