"""Window: shows pictures on the screen, through OpenCV."""

from __future__ import annotations

import itertools
import os
import socket
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import import_or_say, install

# SDL's drivers whose windows nobody sees. Who asks for one gets none of OpenCV's, either.
INVISIBLE = ("dummy", "offscreen")
_PATIENCE_S = 5.0  # with an X server elsewhere
_numbers = itertools.count(1)


def _is_display_missing() -> bool:
    """True if there is no display at all: libraries below OpenCV would abort the process."""
    names = ("DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform == "linux" and not any(os.environ.get(name) for name in names)


def _check_display(cv2: Any) -> None:
    """Refuses what the Qt that PyPI's OpenCV brings along would abort the process for.

    Raises:
        RuntimeError: The display is one of Wayland alone, or there is no X server.
    """
    if sys.platform != "linux" or not cv2.currentUIFramework().startswith("QT"):
        return
    display = os.environ.get("DISPLAY")
    if display and _answers(display):
        return
    why = f"nothing answers at DISPLAY={display}" if display else "DISPLAY is not set"
    raise RuntimeError(
        f"render_mode 'human' needs a display: {why}, which this OpenCV needs; render_mode "
        "'rgb_array' needs none"
    )


def _answers(display: str) -> bool:
    """True if there is an X server of this name, such as ``:0`` or ``localhost:10.0``."""
    host, _, numbers = display.rpartition(":")
    number = numbers.partition(".")[0]
    if not number.isdigit():
        return False
    path = f"/tmp/.X11-unix/X{number}"
    try:
        if host not in ("", "unix"):
            socket.create_connection((host, 6000 + int(number)), _PATIENCE_S).close()
            return True
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(path if Path(path).exists() else f"\0{path}")
            return True
    except OSError:
        return False


class Pace:
    """Lets pictures follow one another at a task's own rate, or as they come.

    Args:
        fps: Pictures per second; None: as they come.
    """

    def __init__(self, fps: float | None) -> None:
        self._interval = 1 / fps if fps else 0.0
        self._due = 0.0

    def wait(self) -> None:
        """Waits until the next picture is due. Who is late does not catch up."""
        now = time.perf_counter()
        if self._due > now:
            time.sleep(self._due - now)
            now = self._due
        self._due = now + self._interval


class Window:
    """A window for the pictures of one pool; it opens with the first one.

    As in Gymnasium, nobody sees it where there is no display, or where ``SDL_VIDEODRIVER`` is
    ``dummy`` or ``offscreen``: pictures come as fast as they would be shown.

    Args:
        name: What the pictures are of. The title adds a number: OpenCV knows windows by their
            titles, and there may be several of one name.
        fps: How many pictures it shows per second at most; None: as many as come.
    """

    def __init__(self, name: str, fps: float | None = None) -> None:
        self._pace = Pace(fps)
        self.title = f"{name} ({next(_numbers)})"
        self._opencv: Any = None  # the module, while the window is open
        self._has_warned = False

    def show(self, frame: NDArray[np.uint8]) -> None:
        """Shows a picture in place of the last one, when it is due.

        Args:
            frame: RGB, of shape ``(height, width, 3)``.

        Raises:
            ImportError: There is no OpenCV, or only a build of it without windows.
            RuntimeError: There is no display that OpenCV could use.

        Warns:
            RuntimeWarning: There is no display.
        """
        if self._is_invisible():
            self._pace.wait()
            return
        cv2 = import_or_say("cv2", f"render_mode 'human' needs OpenCV: {install('render')} ({{}})")
        try:
            _check_display(cv2)
            # Qt's complaints about fonts, which nothing here is written with.
            os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")
            # A plain one, without Qt's toolbar.
            cv2.namedWindow(self.title, cv2.WINDOW_AUTOSIZE | cv2.WINDOW_GUI_NORMAL)
            self._pace.wait()
            cv2.imshow(self.title, np.ascontiguousarray(frame[:, :, ::-1]))
            self._opencv = cv2
            cv2.waitKey(1)  # it draws and answers the mouse only in here
        except (AttributeError, cv2.error) as error:
            # Builds without windows have the functions, but these fail.
            raise ImportError(
                "render_mode 'human' needs an OpenCV with windows, unlike opencv-python-headless: "
                f"pip uninstall opencv-python-headless && {install('render')} ({error})"
            ) from error

    def _is_invisible(self) -> bool:
        """True if nobody will see the window; says so once, unless it was asked for."""
        if os.environ.get("SDL_VIDEODRIVER") in INVISIBLE:
            return True
        if not _is_display_missing():
            return False
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(
                "render_mode 'human' needs a display, and there is none to be seen: neither "
                "DISPLAY nor WAYLAND_DISPLAY is set; render_mode 'rgb_array' needs none",
                RuntimeWarning,
                stacklevel=3,
            )
        return True

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
