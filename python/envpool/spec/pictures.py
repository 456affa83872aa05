"""Pictures: how a spec's environments are drawn."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from envpool.errors import ArgumentError
from envpool.spec.options import RENDER_MODES

if TYPE_CHECKING:
    from envpool.render.drawing import Drawer
    from envpool.spec.option_values import OptionValues


class Pictures:
    """How environments of one task are drawn.

    Args:
        options: The environments' options, which say how large pictures are.
        drawing: The name of the module with what draws the family's environments, if they do not
            draw themselves.

    Attributes:
        modes: The modes in which environments can be rendered.

    Raises:
        ArgumentError: There is a render mode, and the environments cannot be drawn.
    """

    def __init__(self, options: OptionValues, drawing: str | None = None) -> None:
        self.modes = list(RENDER_MODES) if options.native.can_render else []
        self._options = options
        self._name = options.known.name
        self._drawing = drawing
        mode = options.config.render_mode
        if mode is not None and not self.modes:
            raise ArgumentError(
                f"render_mode is {mode!r}, expected None: {self._name} cannot be rendered"
            )
        if mode is not None and not (options.config.render_width and options.config.render_height):
            self._require_one_size()

    def _require_one_size(self) -> None:
        sizes = {native.frame_size() for native in self._options.typed()}
        if len(sizes) > 1:
            raise ArgumentError(
                f"pictures of the environments have the sizes {sorted(sizes)}, expected one size: "
                "set render_width and render_height"
            )

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a picture."""
        width, height = self._options.native.frame_size()
        config = self._options.config
        return config.render_width or width, config.render_height or height

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata that Gymnasium's wrappers read about rendering."""
        metadata: dict[str, Any] = {"render_modes": list(self.modes)}
        fps = self._options.native.render_fps()
        if fps is not None:
            metadata["render_fps"] = round(fps)
        return metadata

    def drawer(self) -> type[Drawer] | None:
        """The drawer of the environments; None if they draw themselves."""
        if self._drawing is None:
            return None
        drawers: dict[str, type[Drawer]] = import_module(self._drawing).DRAWERS
        return drawers.get(self._name)


def shared_pictures(each: Sequence[tuple[str, Pictures]], mode: str | None) -> Pictures:
    """How environments of several tasks are drawn: as those of the first one.

    Args:
        each: The tasks' names, and how each is drawn.
        mode: The render mode, if there is one.

    Raises:
        ArgumentError: There is one, and pictures of the tasks cannot be rows of one array.
    """
    (first_name, first), *others = each
    for name, other in others:
        if mode is not None and other.size != first.size:
            raise ArgumentError(
                f"render_mode is {mode!r}, and pictures of {first_name} have the size {first.size} "
                f"and those of {name} {other.size}: give render_width and render_height"
            )
        if mode is not None and other.drawer() is not first.drawer():
            raise ArgumentError(
                f"render_mode is {mode!r}, but what draws {first_name} does not draw {name}"
            )
    shared = copy.copy(first)
    shared.modes = [m for m in first.modes if all(m in other.modes for _, other in others)]
    return shared
