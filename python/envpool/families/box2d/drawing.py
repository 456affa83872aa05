"""Draws LunarLander and BipedalWalker with the renderers of Gymnasium's own environments.

Each drawer has an environment of Gymnasium's, of which a reset made the bodies in their shapes and
colours. For a picture it puts them where the native ones are, and the ground under them; nothing
is simulated.
"""

from __future__ import annotations

import importlib
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import install
from envpool.render.drawing import Drawer, Scene, load_pygame


def _load(module: str) -> Any:
    """A module of Gymnasium's that needs Box2D, and pygame to draw.

    Raises:
        ImportError: One of the two is not installed.
    """
    from gymnasium.error import DependencyNotInstalled

    load_pygame()
    try:
        return importlib.import_module(f"gymnasium.envs.box2d.{module}")
    except DependencyNotInstalled as error:
        raise ImportError(f"this needs Box2D: {install('render')} ({error.__cause__})") from error


def _rows(scene: Scene, name: str, columns: int) -> list[list[float]]:
    """The rows of a scene's list of things that have this many numbers each."""
    rows: list[list[float]] = scene[name].reshape(-1, columns).tolist()
    return rows


def _place(bodies: list[Any], scene: Scene) -> None:
    """Puts bodies where the scene's ``bodies`` are."""
    for body, (x, y, angle) in zip(bodies, _rows(scene, "bodies", 3), strict=True):
        body.transform = ((x, y), angle)


class LunarLanderDrawer:
    """Draws LunarLander, with discrete and with continuous actions; see :meth:`draw`.

    Args:
        options: Any; no picture depends on them.

    Raises:
        ImportError: pygame or Box2D is not installed.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        upstream = _load("lunar_lander")
        self._top = upstream.VIEWPORT_H / upstream.SCALE
        self._env = upstream.LunarLander(render_mode="rgb_array")
        self._env.reset(seed=0)

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """Draws a scene.

        Args:
            scene: ``ground``, x and y of its 11 points; ``bodies``, x, y and angle of the lander
                and its left and right leg; and ``smoke``, x, y and what is left of the life of
                each, the oldest first, before Gymnasium's renderer takes some of it.

        Returns:
            RGB, uint8 of shape ``(400, 600, 3)``.
        """
        env = self._env
        ground = _rows(scene, "ground", 2)
        env.sky_polys = [
            [left, right, (right[0], self._top), (left[0], self._top)]
            for left, right in pairwise(ground)
        ]
        _place([env.lander, *env.legs], scene)
        env._clean_particles(True)
        for x, y, life in _rows(scene, "smoke", 3):
            env._create_particle(1.0, x, y, life)
        frame: NDArray[np.uint8] = env.render()
        return frame


class BipedalWalkerDrawer:
    """Draws BipedalWalker, also on hardcore terrain; see :meth:`draw`.

    Args:
        options: Any; no picture depends on them.

    Raises:
        ImportError: pygame or Box2D is not installed.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self._upstream = _load("bipedal_walker")
        self._env = self._upstream.BipedalWalker(render_mode="rgb_array")
        self._env.reset(seed=0)
        self._terrain = b""  # that the environment has now

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """Draws a scene.

        Args:
            scene: ``terrain``, x and y of its 200 points; ``obstacles``, x and y of four corners
                of each, in the order in which Gymnasium makes them; ``clouds``, x and y of five
                corners of each; ``bodies``, x, y and angle of the hull, and of the upper and lower
                part of both legs; ``lidar``, x and y of both ends of its ten rays; ``scroll``, the
                left end of what is seen; and ``lidar_render``, how many pictures of the episode
                were drawn with this one, modulo 100: the rays are shown one by one.

        Returns:
            RGB, uint8 of shape ``(400, 600, 3)``.
        """
        env = self._env
        self._set_terrain(scene)
        _place([env.hull, *env.legs], scene)
        env.cloud_poly = []
        for row in _rows(scene, "clouds", 10):
            corners = list(zip(row[::2], row[1::2], strict=True))
            env.cloud_poly.append((corners, min(row[::2]), max(row[::2])))
        env.lidar = [SimpleNamespace(p1=ray[:2], p2=ray[2:]) for ray in _rows(scene, "lidar", 4)]
        env.scroll = float(scene["scroll"][0])
        env.lidar_render = int(scene["lidar_render"][0]) - 1  # the renderer counts this picture
        frame: NDArray[np.uint8] = env.render()
        return frame

    def _set_terrain(self, scene: Scene) -> None:
        """Makes the terrain, unless it is that of the last picture."""
        terrain = scene["terrain"].tobytes() + scene["obstacles"].tobytes()
        if terrain == self._terrain:
            return
        b2 = self._upstream.Box2D
        env = self._env
        parts = []
        for row in _rows(scene, "obstacles", 8):
            corners = list(zip(row[::2], row[1::2], strict=True))
            shape = b2.b2PolygonShape(vertices=corners)
            parts.append(self._part(shape, (255, 255, 255), (153, 153, 153)))
        env.terrain_poly = []
        points = _rows(scene, "terrain", 2)
        for i, (left, right) in enumerate(pairwise(points)):
            colour = (76, 204 if i % 2 else 255, 76)
            parts.append(self._part(b2.b2EdgeShape(vertices=[left, right]), colour, colour))
            below = [(right[0], 0), (left[0], 0)]
            env.terrain_poly.append(([left, right, *below], (102, 153, 76)))
        env.drawlist = [*reversed(parts), *env.legs, env.hull]
        self._terrain = terrain

    def _part(
        self, shape: Any, inside: tuple[int, int, int], border: tuple[int, int, int]
    ) -> SimpleNamespace:
        """A body that stands at the origin, as far as the renderer looks at it."""
        body = SimpleNamespace(transform=self._upstream.Box2D.b2Transform())
        body.transform.SetIdentity()
        fixture = SimpleNamespace(shape=shape, body=body)
        return SimpleNamespace(fixtures=[fixture], color1=inside, color2=border)


DRAWERS: dict[str, type[Drawer]] = {
    "LunarLanderDiscrete": LunarLanderDrawer,
    "LunarLanderContinuous": LunarLanderDrawer,
    "BipedalWalker": BipedalWalkerDrawer,
}
