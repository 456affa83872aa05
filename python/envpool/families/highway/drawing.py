"""Draws driving tasks with highway-env's own functions.

A drawer makes upstream's lanes, vehicles and objects, as far as drawing looks at them, of what the
native environment says of itself; nothing is simulated.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import import_optional
from envpool.families.highway.spec import INFOS
from envpool.render.drawing import Drawer, Scene, load_pygame

_LANE, _THING = 15, 10  # numbers of each


class RoadDrawer:
    """Draws all scenarios; see :meth:`draw`.

    Args:
        options: The size of pictures, where they have the vehicle, and their scale.

    Raises:
        ImportError: pygame or highway-env is not installed.
    """

    colors_players = False  # are vehicles of players green even if they crash?

    def __init__(self, options: dict[str, Any]) -> None:
        self._pygame = load_pygame()
        import_optional("highway_env", "highway-env", "highway")
        from highway_env.envs.common.graphics import ObservationGraphics
        from highway_env.road import graphics, lane
        from highway_env.vehicle import behavior, controller, dynamics, kinematics, objects
        from highway_env.vehicle.graphics import VehicleGraphics

        self._graphics, self._lane, self._vehicles = graphics, lane, VehicleGraphics
        self._observations = ObservationGraphics
        # In the order of the native kinds.
        self._kinds = (
            kinematics.Vehicle,
            dynamics.BicycleVehicle,
            controller.MDPVehicle,
            behavior.IDMVehicle,
            objects.Obstacle,
            objects.Landmark,
            behavior.LinearVehicle,
        )
        size = (options["screen_width"], options["screen_height"])
        self._surface = graphics.WorldSurface(size, 0, self._pygame.Surface(size))
        self._surface.scaling = options["scaling"]
        self._surface.centering_position = list(options["centering_position"])
        self._lanes: list[Any] = []
        self._drawn = b""  # the numbers of these lanes

    def draw(self, scene: Scene) -> NDArray[np.uint8]:
        """Draws a scene.

        Args:
            scene: ``view``, x and y of what the picture is about; ``lanes``, of each: its shape
                (0 straight, 1 sine, 2 circular), x and y of start and end or of the center, width,
                the lines on the left and on the right, amplitude, pulsation and phase, radius,
                start and end phase, 1 if clockwise; ``things``, of each: its kind, x, y, heading,
                length, width, steering, and whether it is a player's, has crashed and was hit;
                perhaps ``lidar``, how far it sees and the distance in each of its cells.

        Returns:
            RGB, uint8 of shape ``(screen_height, screen_width, 3)``.
        """
        surface = self._surface
        surface.move_display_window_to(scene["view"])
        surface.fill(surface.GREY)
        self._set_lanes(scene["lanes"])
        for lane in self._lanes:
            self._graphics.LaneGraphics.display(lane, surface)
        for row in scene["things"].reshape(-1, _THING).tolist():
            thing, is_vehicle = self._thing(row)
            graphics = self._vehicles if is_vehicle else self._graphics.RoadObjectGraphics
            graphics.display(thing, surface, offscreen=True)
        if "lidar" in scene:
            self._draw_lidar(scene["lidar"], scene["view"])
        picture: NDArray[np.uint8] = self._pygame.surfarray.array3d(surface)
        return np.ascontiguousarray(np.moveaxis(picture, 0, 1))

    def _draw_lidar(self, numbers: NDArray[np.float64], origin: NDArray[np.float64]) -> None:
        distances = numbers[1:].astype(np.float32)
        lidar = SimpleNamespace(
            angle=2 * np.pi / len(distances),
            grid=distances[:, np.newaxis],
            maximum_range=float(numbers[0]),
            origin=origin,
        )
        self._observations.display_grid(lidar, self._surface)

    def _set_lanes(self, numbers: NDArray[np.float64]) -> None:
        """Makes the lanes, unless they are those of the last picture."""
        if numbers.tobytes() != self._drawn:
            self._lanes = [self._make_lane(row) for row in numbers.reshape(-1, _LANE).tolist()]
            self._drawn = numbers.tobytes()

    def _make_lane(self, row: list[float]) -> Any:
        shape, x, y, end_x, end_y, width, left, right = row[:8]
        amplitude, pulsation, phase, radius, start, end, turn = row[8:]
        lines = {"width": width, "line_types": [int(left), int(right)]}
        if shape == 0:
            return self._lane.StraightLane([x, y], [end_x, end_y], **lines)
        if shape == 1:
            return self._lane.SineLane([x, y], [end_x, end_y], amplitude, pulsation, phase, **lines)
        return self._lane.CircularLane([x, y], radius, start, end, clockwise=turn > 0, **lines)

    def _thing(self, row: list[float]) -> tuple[Any, bool]:
        """An object of upstream's class without its construction; and whether it is a vehicle."""
        kind, x, y, heading, length, width, steering, is_players, has_crashed, was_hit = row
        cls: Any = self._kinds[int(kind)]
        thing = cls.__new__(cls)
        thing.position, thing.heading = np.array([x, y]), heading
        thing.LENGTH, thing.WIDTH = length, width
        thing.crashed, thing.hit = bool(has_crashed), bool(was_hit)
        thing.action = {"steering": steering}
        if self.colors_players and is_players:
            thing.color = self._vehicles.EGO_COLOR
        return thing, issubclass(cls, self._kinds[0])


class ParkingDrawer(RoadDrawer):
    """Draws parking, where the vehicle is green."""

    colors_players = True


DRAWERS: dict[str, type[Drawer]] = {
    **dict.fromkeys((*INFOS, "LaneKeeping", "IntersectionMultiAgent"), RoadDrawer),
    "Parking": ParkingDrawer,
}
