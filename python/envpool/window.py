"""Window: shows pictures on the screen, through OpenCV."""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

_INSTALL = 'pip install "envpool[render]"'
_numbers = itertools.count(1)


def _load_opencv() -> Any:
    try:
        return importlib.import_module("cv2")
    except ImportError as error:
        raise ImportError(f"render_mode 'human' needs OpenCV: {_INSTALL} ({error})") from error


def _check_display() -> None:
    """Refuses what would make the libraries below OpenCV abort the process."""
    if sys.platform == "linux" and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        raise RuntimeError(
            "render_mode 'human' needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set; "
            "render_mode 'rgb_array' needs none"
        )


class Window:
    """A window for the pictures of one pool; it opens with the first one.

    Args:
        name: What the pictures are of. The title adds a number: OpenCV knows windows by their
            titles, and there may be several of one name.
    """

    def __init__(self, name: str) -> None:
        self.title = f"{name} ({next(_numbers)})"
        self._opencv: Any = None  # the module, while the window is open

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Shows a picture in place of the last one.

        Args:
            frame: RGB, of shape ``(height, width, 3)``.

        Raises:
            ImportError: There is no OpenCV, or only a build of it without windows.
            RuntimeError: There is no display.
        """
        cv2 = _load_opencv()
        _check_display()
        try:
            cv2.imshow(self.title, np.ascontiguousarray(frame[:, :, ::-1]))
            self._opencv = cv2
            cv2.waitKey(1)  # it draws and answers the mouse only in here
        except (AttributeError, cv2.error) as error:
            # Builds without windows have the functions, but these fail.
            raise ImportError(
                "render_mode 'human' needs an OpenCV with windows, unlike opencv-python-headless: "
                f"pip uninstall opencv-python-headless && {_INSTALL} ({error})"
            ) from error

    def close(self) -> None:
        """Closes the window, if it is open; the next picture opens it again."""
        cv2, self._opencv = self._opencv, None
        if cv2 is None:
            return
        try:
            cv2.destroyWindow(self.title)
            cv2.waitKey(1)  # takes it off the screen
        except cv2.error:
            pass  # whoever watched has closed it
