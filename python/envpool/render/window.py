"""Window: shows pictures on the screen, through pygame."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.render.drawing import load_pygame

# SDL's drivers whose windows nobody sees, on which it falls back where there is no display.
_INVISIBLE = ("dummy", "offscreen")
_SETTINGS = {
    "SDL_NO_SIGNAL_HANDLERS": "1",  # or SIGTERM would be an event of the window, and end no process
    "SDL_FRAMEBUFFER_ACCELERATION": "0",  # or a window of plain pictures would load OpenGL
}


class Window:
    """A window for pictures.

    As in Gymnasium, a process has one, pygame's: who opens it anew takes it over. Nobody sees it
    where there is no display, or where ``SDL_VIDEODRIVER`` is ``dummy`` or ``offscreen``: pictures
    come as fast as they would be shown.

    Args:
        title: Its title.
        fps: How many pictures it shows per second at most; None or 0: as many as come.
    """

    _last: Window | None = None  # the one that has the process's window

    def __init__(self, title: str, fps: float | None = None) -> None:
        self._title = title
        self._fps = fps or 0
        self._clock: Any = None  # once it was open

    def open(self, size: tuple[int, int]) -> bool:
        """Opens it, unless it is open in this size.

        Args:
            size: Width and height.

        Returns:
            True if it was not open.

        Raises:
            ImportError: pygame is not installed.
            RuntimeError: There is no window of this size.
        """
        pygame = load_pygame()
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
        was_open = Window._last is self and pygame.display.get_surface() is not None
        Window._last = self  # so that close() ends what fails half-way
        try:
            if not was_open or pygame.display.get_window_size() != size:
                pygame.display.init()
                pygame.display.set_mode(size)
        except pygame.error as error:
            raise RuntimeError(f"no window of {size[0]} x {size[1]} pixels: {error}") from None
        if not was_open:
            pygame.display.set_caption(self._title)
            self._clock = pygame.time.Clock()
        return not was_open

    def why_unseen(self) -> str:
        """Why nobody sees the open window, though that was not asked for; empty if it is seen."""
        driver = load_pygame().display.get_driver()
        if driver not in _INVISIBLE or os.environ.get("SDL_VIDEODRIVER") == driver:
            return ""
        return f"SDL found no display, and uses its driver {driver!r}"

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Shows a picture in the open window, in the window's size.

        Args:
            picture: RGB, of shape ``(height, width, 3)``.
        """
        pygame = load_pygame()
        screen = pygame.display.get_surface()
        surface = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        screen.blit(pygame.transform.scale(surface, screen.get_size()), (0, 0))
        pygame.display.flip()

    def wait(self) -> None:
        """Waits until the next picture is due. Who is late does not catch up."""
        if self._clock is not None:
            self._clock.tick(self._fps)

    def events(self) -> list[Any] | None:
        """What pygame has noted since the last call; None if somebody closes the window."""
        pygame = load_pygame()
        events: list[Any] = pygame.event.get()
        return None if any(event.type == pygame.QUIT for event in events) else events

    def close(self) -> None:
        """Closes the window, if it is open; it may be opened again."""
        if Window._last is self:
            Window._last = None
            load_pygame().display.quit()
