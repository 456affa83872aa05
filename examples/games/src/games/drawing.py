"""How Race is drawn. envpool imports this with the first picture."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_HEIGHT, _WIDTH = 100, 400  # frame_size in cpp/race.cpp, which is width and height
_FLAG = (200, 40, 40)
_PLAYERS = ((40, 80, 200), (40, 150, 80))


class RaceDrawer:
    """Draws environments that have the same options."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._columns_per_metre = (_WIDTH - 1) / options["length"]

    def draw(self, scene: dict[str, NDArray[np.float64]]) -> NDArray[np.uint8]:
        """Turn what Describe tells into RGB, of shape ``(height, width, 3)``."""
        picture = np.full((_HEIGHT, _WIDTH, 3), 255, np.uint8)
        picture[:, self._columns(scene["flag"][0])] = _FLAG
        for player, half in enumerate(np.split(picture, len(_PLAYERS))):
            half[10:40, self._columns(scene["positions"][player])] = _PLAYERS[player]
        return picture

    def _columns(self, place: float) -> slice:
        middle = int(place * self._columns_per_metre)
        return slice(max(middle - 5, 0), middle + 6)


# By the names in C++.
DRAWERS = {"Race": RaceDrawer}
