"""Camera: takes pictures of a pool's environments and shows them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.render.drawing import Painter
from envpool.render.window import Window
from envpool.spec.env_spec import EnvSpec
from envpool.spec.memory import require_memory
from envpool.spec.values import integer


class Camera:
    """Takes pictures in the render mode of a pool.

    Args:
        spec: What the pool is made of.
    """

    def __init__(self, spec: EnvSpec) -> None:
        self._spec = spec
        self._painter: Painter | None = None  # once Gymnasium's renderer has drawn something
        fps = spec.pictures.metadata.get("render_fps")
        self._window = Window(spec.id or spec.known.name, fps)

    def take(self, pool: _core.Pool, env_ids: Any = None, view: Any = None) -> NDArray[np.uint8]:
        """The pictures of some environments, or of ``render_env_id``.

        Args:
            pool: The native pool that runs them.
            env_ids: One or more integers.
            view: The task's own camera to see them by; ``render_camera_id`` if left out.

        Raises:
            RuntimeError: There is no render mode, or an environment cannot be drawn now.
            TypeError, ValueError: An argument is not what it must be.
        """
        ids = self._choose(env_ids)
        view = self._spec.config.render_camera_id if view is None else view
        return self._paint(pool, ids, integer("camera_id", view, -1))

    def _choose(self, env_ids: Any) -> Any:
        """The environments to draw; one, if they are shown in a window."""
        config = self._spec.config
        if config.render_mode is None:
            raise RuntimeError("render() needs a render_mode, and this pool was made without one")
        if env_ids is None:
            env_ids = config.render_env_id
        if np.ndim(env_ids) == 0:
            env_ids = [env_ids]
        if config.render_mode == "human" and np.size(env_ids) != 1:
            raise ValueError(
                f"env_ids has {np.size(env_ids)} entries, expected 1: "
                "render_mode 'human' shows one environment"
            )
        return env_ids

    def _paint(self, pool: _core.Pool, env_ids: Any, view: int) -> NDArray[np.uint8]:
        """Pictures by the environments themselves, or by Gymnasium's renderer."""
        size = self._spec.pictures.size
        pictures = f"{np.size(env_ids)} pictures of {size[0]} x {size[1]} pixels need"
        fewer = ("render_width", "render_height", "the number of environments")
        require_memory(3 * size[0] * size[1] * np.size(env_ids), pictures, fewer)
        if self._painter is None:
            drawer = self._spec.pictures.drawer()
            if drawer is None:
                return pool.render(env_ids, *size, view)
            self._painter = Painter(drawer)
        scenes = pool.describe(env_ids)
        options = pool.get_options(env_ids)
        return self._painter.paint(env_ids, scenes, options, size, view)

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Shows a picture in the pool's window, when it is due.

        Args:
            picture: RGB, of shape ``(height, width, 3)``.

        Raises:
            ImportError: pygame is not installed.
            RuntimeError: There is no window of this size.

        Warns:
            RuntimeWarning: There is no display.
        """
        height, width, _ = picture.shape
        self._window.wait()
        why = self._window.open((width, height)) and self._window.why_unseen()
        if why:
            warnings.warn(
                f"render_mode 'human' needs a display: {why}; render_mode 'rgb_array' needs none",
                RuntimeWarning,
                stacklevel=3,
            )
        self._window.show(picture)
        if self._window.events() is None:
            self._window.close()

    def close(self) -> None:
        """Closes the window and gives back what the renderer holds."""
        self._window.close()
        if self._painter is not None:
            self._painter.release()
