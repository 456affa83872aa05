"""Pictures of the toy_text environments: Gymnasium's own, where it has a renderer.

Each drawer turns a scene, which is what the native environment's ``Describe`` gives, into a
picture. A picture depends on its scene only, and not on what was drawn before it. Gymnasium's
environments are given a surface to draw on; where they have none, they would open a display.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.envs.toy_text import blackjack, cliffwalking, frozen_lake, taxi
from numpy.typing import NDArray

from envpool.render.drawing import Drawer, Scene, load_pygame

# Sizes of pictures of our own, which the native environments tell, too (Catch's in catch.cpp).
_CELL = 48  # pixels
_LONGEST = 960  # pixels of a board's longer side; one with more cells has smaller ones
_SMALLEST = 8  # pixels of a cell that has lines and a disc
_GROUND, _LINE = (32, 36, 48), (72, 78, 96)
_AGENT, _PRIZE = (236, 196, 72), (104, 200, 120)


def _picture(env: Any) -> NDArray[np.uint8]:
    return np.ascontiguousarray(env.render())


def _number(scene: Scene, name: str, index: int = 0) -> int:
    return int(scene[name][index])


class _Numbered:
    """The base of drawers of environments whose states Gymnasium numbers."""

    _env: Any

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """Draws a scene.

        Args:
            scene: ``state``, the number of the agent's cell or the like.

        Returns:
            RGB, uint8 of shape ``(height, width, 3)``.
        """
        self._env.s = _number(scene, "state")
        return _picture(self._env)


class FrozenLake(_Numbered):
    """Draws a lake and who crosses it, as Gymnasium does: 64 pixels per cell, at most 512 in all.

    Args:
        options: Of them, the map: ``desc``, ``map_name`` and ``size``.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        name = options["map_name"] or "{0}x{0}".format(options["size"])
        # As characters, because of strings of one character each it would make no rows.
        desc: Any = [list(row) for row in options["desc"]] or None
        self._env = frozen_lake.FrozenLakeEnv("rgb_array", desc, name)
        self._env.lastaction = None  # which Gymnasium before 1.4 reads, and sets in a reset
        self._env.window_surface = load_pygame().Surface(self._env.window_size)


class CliffWalking(_Numbered):
    """Draws a cliff and who walks along it, as Gymnasium does, in 768 x 256 pixels.

    Args:
        options: Any; no picture depends on them.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self._env = cliffwalking.CliffWalkingEnv("rgb_array")
        self._env.lastaction = None  # as above
        self._env.window_surface = load_pygame().Surface(self._env.window_size)


class Taxi(_Numbered):
    """Draws the streets, the taxi and its passenger, as Gymnasium does, in 536 x 456 pixels.

    Args:
        options: Any; no picture depends on them.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self._env = taxi.TaxiEnv("rgb_array")
        self._env.window = load_pygame().Surface(taxi.WINDOW_SIZE)

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """Draws a scene.

        Args:
            scene: ``state``, the observation, and ``orientation``, the last action of the episode
                that was a move (0 before). Gymnasium has that of the last one that was drawn.

        Returns:
            RGB, uint8 of shape ``(height, width, 3)``.
        """
        self._env.lastaction = self._env.taxi_orientation = _number(scene, "orientation")
        return super().draw(scene)


class Blackjack:
    """Draws the dealer's card and the player's sum, as Gymnasium does; see :meth:`draw`.

    Args:
        options: Any; no picture depends on them.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self._env: Any = blackjack.BlackjackEnv("rgb_array")
        pygame = load_pygame()
        if not hasattr(blackjack, "SCREEN_SIZE"):  # before Gymnasium 1.4, whose text needs a font
            pygame.font.init()
        self._env.screen = pygame.Surface(getattr(blackjack, "SCREEN_SIZE", (600, 500)))

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """Draws a scene.

        Args:
            scene: The observation as ``player_sum``, ``dealer_card`` and ``usable_ace``; the suit
                of the dealer's card as ``dealer_suit``, 0 to 3 for clubs, diamonds, hearts and
                spades; and ``dealer_face``, 0 to 2 for jack, queen and king, if it counts 10. The
                last two are drawn in a reset, from the same numbers as in Gymnasium.

        Returns:
            RGB, uint8 of shape ``(376, 384, 3)``.
        """
        card = _number(scene, "dealer_card")
        names = {1: "A", 10: "JQK"[_number(scene, "dealer_face")]}
        env, player_sum = self._env, _number(scene, "player_sum")
        # any hand with that sum
        env.player = [1, player_sum - 11] if _number(scene, "usable_ace") else [player_sum]
        env.dealer = [card]
        env.dealer_top_card_suit = "CDHS"[_number(scene, "dealer_suit")]
        env.dealer_top_card_value_str = names.get(card, str(card))
        return _picture(env)


class _Board:
    """An empty board; ``pixels`` has the shape ``(rows * size, columns * size, 3)``."""

    def __init__(self, rows: int, columns: int) -> None:
        self.size = size = min(_CELL, max(1, _LONGEST // max(rows, columns)))
        self.pixels = np.empty((rows * size, columns * size, 3), np.uint8)
        self.pixels[:] = _GROUND
        if size >= _SMALLEST:
            self.pixels[::size] = self.pixels[size - 1 :: size] = _LINE
            self.pixels[:, ::size] = self.pixels[:, size - 1 :: size] = _LINE

    def cell(self, pixels: NDArray[np.uint8], row: int, column: int) -> NDArray[np.uint8]:
        """The pixels of a cell."""
        y, x = row * self.size, column * self.size
        return pixels[y : y + self.size, x : x + self.size]


def _draw_disc(cell: NDArray[np.uint8], colour: tuple[int, int, int]) -> None:
    size = len(cell)
    offset = np.arange(size) - (size - 1) / 2
    cell[(np.hypot(offset[:, None], offset) < size / 3) | (size < _SMALLEST)] = colour


class NChain:
    """Draws a chain of five links, the last one marked, and who is on it; see :meth:`draw`.

    Args:
        options: Any; no picture depends on them.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self._chain = _Board(1, 5)
        margin = _CELL // 8
        prize = self._chain.cell(self._chain.pixels, 0, 4)
        prize[margin:-margin, margin:-margin] = _PRIZE

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """Draws a scene.

        Args:
            scene: ``state``, the number of the agent's link.

        Returns:
            RGB, uint8 of shape ``(48, 240, 3)``.
        """
        picture = self._chain.pixels.copy()
        _draw_disc(self._chain.cell(picture, 0, _number(scene, "state")), _AGENT)
        return picture


class Catch:
    """Draws a board with a falling ball and a paddle at the bottom; see :meth:`draw`.

    Args:
        options: Of them, ``height`` and ``width``.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self._board = _Board(int(options["height"]), int(options["width"]))

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """Draws a scene.

        Args:
            scene: ``ball`` and ``paddle``, each a row and a column.

        Returns:
            RGB, uint8: 48 pixels per cell, or as many as make the longer side at most 960, but
            at least one.
        """
        board, picture = self._board, self._board.pixels.copy()
        paddle = board.cell(picture, _number(scene, "paddle"), _number(scene, "paddle", 1))
        paddle[-board.size // 3 :] = _PRIZE
        ball = board.cell(picture, _number(scene, "ball"), _number(scene, "ball", 1))
        _draw_disc(ball, _AGENT)
        return picture


DRAWERS: dict[str, type[Drawer]] = {
    "FrozenLake": FrozenLake,
    "CliffWalking": CliffWalking,
    "Taxi": Taxi,
    "Blackjack": Blackjack,
    "NChain": NChain,
    "Catch": Catch,
}
