"""Pictures that Gymnasium's own renderers draw of the states of our environments.

A family whose environments describe themselves (``Env::Describe``) instead of drawing themselves
has a module with ``DRAWERS``, a dict with a :class:`Drawer` for the native name of each of these
environments, and gives the module's name to :func:`envpool.tasks.export.lazy_export`. That module
is imported when something is drawn, and pygame when a drawer is made.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from envpool.errors import described, import_optional

# An environment's description of itself: named lists of numbers.
Scene: TypeAlias = dict[str, NDArray[np.float64]]

# Each keeps surfaces of a few megabytes.
_MOST_DRAWERS = 16

_BAND = 16  # rows that are scaled at a time: they stay in the cache

# pygame.gfxdraw lets other threads run while it fills polygons from one static array. Reentrant, so
# that a signal handler that draws does not hang.
_pygame_lock = threading.RLock()


class Drawer(Protocol):
    """Draws environments of one kind that have the same options.

    Args:
        options: The values of the native environment's options, by name.

    Raises:
        ImportError: Something is missing that draws; the message says how to install it.
    """

    def __init__(self, options: dict[str, Any]) -> None: ...

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """The picture that Gymnasium's environment renders in this state.

        Args:
            scene: What the native environment says of itself, float64 arrays of shape ``(n,)``.

        Returns:
            RGB, of shape ``(height, width, 3)``.
        """
        ...


def load_pygame() -> Any:
    """The module pygame, imported without its greeting and without a trace in ``os.environ``.

    Raises:
        ImportError: It is not installed.
    """
    before = dict(os.environ)
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    try:
        return import_optional("pygame", "pygame", "render")
    finally:
        # pygame also names the program for X11's window managers.
        for name in ("PYGAME_HIDE_SUPPORT_PROMPT", "SDL_VIDEO_X11_WMCLASS"):
            if name in before:
                os.environ[name] = before[name]
            else:
                os.environ.pop(name, None)


def draw_scaled(frame: NDArray[np.uint8], picture: NDArray[np.uint8]) -> None:
    """Fills a picture with another one in its size, in bands of rows: Ctrl-C ends it between them.

    Args:
        frame: RGB, of shape ``(height, width, 3)``.
        picture: What is filled, of such a shape. Where it is a whole multiple of the other's size,
            it repeats its pixels; otherwise ``pygame.transform.smoothscale`` mixes them.

    Raises:
        ImportError: pygame is needed and not installed.
    """
    (height, width), (own_height, own_width) = picture.shape[:2], frame.shape[:2]
    down, across = height // own_height, width // own_width
    if (height, width) != (down * own_height, across * own_width):
        pygame = load_pygame()
        surface = pygame.surfarray.make_surface(frame.swapaxes(0, 1))
        scaled = pygame.transform.smoothscale(surface, (width, height))
        frame, down, across = pygame.surfarray.pixels3d(scaled).swapaxes(0, 1), 1, 1
    for row in range(0, len(frame), _BAND):
        band = frame[row : row + _BAND]
        picture[row * down : (row + _BAND) * down] = band.repeat(across, 1).repeat(down, 0)


class Painter:
    """Draws the environments of one pool, with one drawer for all that have the same options.

    Several threads may use it, and draw one picture after the other.

    Args:
        drawer: What draws them.
    """

    def __init__(self, drawer: type[Drawer]) -> None:
        self._drawer = drawer
        self._drawers: dict[str, Drawer] = {}  # by their options

    def paint(
        self,
        env_ids: Iterable[int],
        scenes: Sequence[Scene],
        options: Sequence[dict[str, Any]],
        size: tuple[int, int],
        camera: int,
    ) -> NDArray[np.uint8]:
        """Draws environments.

        Args:
            env_ids: Their ids, for messages.
            scenes: What each says of itself.
            options: The options of each.
            size: Width and height of the pictures; see :func:`draw_scaled`.
            camera: Must be -1: Gymnasium's renderers have one view only.

        Returns:
            RGB, of shape ``(len(env_ids), height, width, 3)``.

        Raises:
            ValueError: There is no such camera.
            RuntimeError: The renderer fails to draw an environment.
            ImportError: Something is missing that draws.
        """
        width, height = size
        frames = np.empty((len(scenes), height, width, 3), np.uint8)
        for i, (env_id, scene, own) in enumerate(zip(env_ids, scenes, options, strict=True)):
            name = f"environment {env_id} was not rendered"
            if camera != -1:
                raise ValueError(f"{name}: camera_id is {camera}, expected -1, its only view")
            try:
                with _pygame_lock:
                    draw_scaled(self._drawer_of(own).draw(scene), frames[i])
            except ImportError:
                raise
            except Exception as error:
                reason = f"{self._drawer.__name__} raised {described(error)}"
                raise RuntimeError(f"{name}: {reason}") from error
        return frames

    def _drawer_of(self, options: dict[str, Any]) -> Drawer:
        """The drawer of these options. If there are too many, the one that was made first goes."""
        key = repr(options)
        if key not in self._drawers:
            self._drawers[key] = self._drawer(options)
            if len(self._drawers) > _MOST_DRAWERS:
                del self._drawers[next(iter(self._drawers))]
        return self._drawers[key]

    def release(self) -> None:
        """Forgets the drawers; the next picture makes them anew."""
        self._drawers.clear()
