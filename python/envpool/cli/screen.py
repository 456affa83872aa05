"""A window of pygame's, with its keyboard."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.render.drawing import load_pygame

# SDL falls back on these, which show nothing.
_INVISIBLE = ("offscreen", "dummy")


class Screen:
    """A window; a context manager that closes it.

    Args:
        title: The window's.
        size: Its width and height; pictures are scaled to them.

    Raises:
        ImportError: pygame is not installed.
        RuntimeError: There is no display, or no window of this size.
    """

    def __init__(self, title: str, size: tuple[int, int]) -> None:
        self._pygame = load_pygame()
        self._held: set[str] = set()
        try:
            self._pygame.display.init()
            self._check_driver()
        except (self._pygame.error, RuntimeError) as error:
            self._pygame.display.quit()
            raise RuntimeError(
                f"a game needs a display ({error}); python -m envpool record needs none"
            ) from None
        try:
            self._surface: Any = self._pygame.display.set_mode(size)
        except self._pygame.error as error:
            self._pygame.display.quit()
            width, height = size
            raise RuntimeError(
                f"there is no window of {width} x {height} pixels ({error}); --zoom makes another"
            ) from None
        self._pygame.display.set_caption(title)
        self._clock = self._pygame.time.Clock()

    def _check_driver(self) -> None:
        """Refuse a display that nobody sees, unless it was asked for."""
        driver = self._pygame.display.get_driver()
        if driver in _INVISIBLE and os.environ.get("SDL_VIDEODRIVER") != driver:
            raise RuntimeError(f"SDL found none and would use its driver {driver!r}")

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Show a picture, RGB of shape ``(height, width, 3)``."""
        picture = self._pygame.surfarray.make_surface(frame.swapaxes(0, 1))
        size = self._surface.get_size()
        self._surface.blit(self._pygame.transform.scale(picture, size), (0, 0))
        self._pygame.display.flip()

    def wait(self, fps: float) -> None:
        """Wait until the next frame is due."""
        self._clock.tick(fps)

    def read_keys(self) -> set[str] | None:
        """Name the keys that are held, or were pressed since the last call; None at the end.

        The end is that somebody presses escape or closes the window.
        """
        pygame = self._pygame
        seen = set(self._held)
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return None
            if event.type == pygame.KEYDOWN:
                if event.key == pygame.K_ESCAPE:
                    return None
                self._held.add(pygame.key.name(event.key))
                seen.add(pygame.key.name(event.key))
            elif event.type == pygame.KEYUP:
                self._held.discard(pygame.key.name(event.key))
            elif event.type == pygame.WINDOWFOCUSLOST:
                self._held.clear()  # their releases go to another window
        return seen

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *exception: object) -> None:
        self._pygame.display.quit()
