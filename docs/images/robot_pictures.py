"""Robots' pictures after random actions, and sheets of them: for the scripts beside this one."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import envpool

GAP = 4  # between pictures, pixels


def draw(task_id: str, steps: int, side: int, largest: float = 1.0, **options: Any) -> Image.Image:
    """A square picture of one task after so many actions of numbers up to `largest`."""
    env = envpool.make(
        task_id,
        "gymnasium",
        seed=3,
        render_mode="rgb_array",
        render_width=side,
        render_height=side,
        **options,
    )
    env.reset()
    rng, space = np.random.default_rng(3), env.action_space
    low, high = np.maximum(space.low, -largest), np.minimum(space.high, largest)
    for _ in range(steps):
        env.step(rng.uniform(low, high, (1, *space.shape)).astype(space.dtype))
    return Image.fromarray(env.render()[0])


def save(
    name: str, pictures: dict[str, Image.Image], columns: int, line: int, size: int, colors: int
) -> None:
    """Saves a sheet of pictures in rows, with their names in lines below.

    Args:
        name: Of the file, beside this one.
        pictures: By their names, all of one size.
        columns: How many are in a row.
        line: How high lines are, pixels.
        size: Of the font.
        colors: How many there are; fewer make the file smaller.
    """
    side = next(iter(pictures.values())).width
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (columns * (side + GAP) - GAP, rows * (side + line)), "white")
    text = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=size)
    for i, (label, picture) in enumerate(pictures.items()):
        x, y = i % columns * (side + GAP), i // columns * (side + line)
        sheet.paste(picture, (x, y))
        text.text((x + side / 2, y + side + line / 2), label, "black", font, anchor="mm")
    sheet.quantize(colors).save(Path(__file__).with_name(name), optimize=True)
