"""What a film makes of the pictures of environments: grids, and titles above them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import import_optional

_GAP = 4  # pixels between the pictures of a grid
_GREY = 96  # of what is no picture: differs from the black or white background of most tasks
_FONT_SIZES = (9, 16)  # the least that can be read, and enough
_LETTERS = 26  # of a line, for which there shall be room


def grid(frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Puts pictures side by side, in rows about as long as there are rows, on grey.

    Args:
        frames: Of shape ``(n, height, width, 3)``.

    Returns:
        One picture: that of shape ``(height, width, 3)`` if n is 1; there are 4 pixels between
        several.
    """
    count, height, width, channels = frames.shape
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    cells = np.full((rows * columns, height + _GAP, width + _GAP, channels), _GREY, np.uint8)
    cells[:count, :height, :width] = frames
    split = cells.reshape(rows, columns, height + _GAP, width + _GAP, channels)
    whole = split.swapaxes(1, 2).reshape(rows * (height + _GAP), columns * (width + _GAP), channels)
    return whole[:-_GAP, :-_GAP]


def titled(picture: NDArray[np.uint8], task: str, step: int, total: float) -> NDArray[np.uint8]:
    """A picture with two lines of text above it: the task; the step, and the return so far.

    Args:
        picture: RGB, of shape ``(height, width, 3)``.
        task: The task.
        step: How many steps the episode has had.
        total: The sum of its rewards until then.

    Raises:
        ImportError: Pillow is not installed.
    """
    image = import_optional("PIL.Image", "pillow", "render")
    draw = import_optional("PIL.ImageDraw", "pillow", "render")
    lines = (task, f"step {step}, return {total:.2f}")
    width = picture.shape[1]
    size = int(np.clip(2 * width / _LETTERS, *_FONT_SIZES))
    high = size + size // 3
    strip = image.new("RGB", (width, high * len(lines) + size // 3))
    brush = draw.Draw(strip)
    for i, line in enumerate(lines):
        brush.text((size // 3, i * high + size // 6), line, "white", _font(size))
    return np.concatenate([np.asarray(strip), picture])


@functools.cache
def _font(size: int) -> Any:
    return import_optional("PIL.ImageFont", "pillow", "render").load_default(size)
