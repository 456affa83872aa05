"""Draws docs/images/robotics.png: tasks of Gymnasium-Robotics after random actions.

pip install ".[robotics,examples]"
python docs/images/draw_robotics.py
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import envpool

# Steps.
TASKS = {
    "FetchReach-v4": 20,
    "FetchPush-v4": 10,
    "FetchPickAndPlace-v4": 20,
    "FetchSlide-v4": 10,
    "HandReach-v3": 20,
    "HandManipulateBlock-v1": 5,
    "HandManipulateEgg-v1": 5,
    "HandManipulatePen-v1": 5,
    "AdroitHandDoor-v1": 10,
    "AdroitHandHammer-v1": 10,
    "AdroitHandPen-v1": 5,
    "AdroitHandRelocate-v1": 10,
    "PointMaze_UMaze-v3": 20,
    "PointMaze_Large-v3": 20,
    "FrankaKitchen-v1": 10,
}
COLUMNS = 5
SIDE = 168  # of a picture, pixels
GAP, LINE = 4, 24  # between pictures, and for names
COLORS = 160  # fewer make the file smaller


def draw(name: str, steps: int) -> Image.Image:
    """A picture of one task."""
    env = envpool.make(
        name,
        "gymnasium",
        seed=3,
        render_mode="rgb_array",
        render_width=SIDE,
        render_height=SIDE,
    )
    env.reset()
    rng, space = np.random.default_rng(3), env.action_space
    low, high = np.maximum(space.low, -1.0), np.minimum(space.high, 1.0)
    for _ in range(steps):
        env.step(rng.uniform(low, high, (1, *space.shape)).astype(space.dtype))
    return Image.fromarray(env.render()[0])


def main() -> None:
    """Draws all of them in rows, with their names below."""
    rows = -(-len(TASKS) // COLUMNS)
    size = (COLUMNS * (SIDE + GAP) - GAP, rows * (SIDE + LINE))
    sheet = Image.new("RGB", size, "white")
    text = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=13)
    for i, (name, steps) in enumerate(TASKS.items()):
        x, y = i % COLUMNS * (SIDE + GAP), i // COLUMNS * (SIDE + LINE)
        sheet.paste(draw(name, steps), (x, y))
        text.text((x + SIDE / 2, y + SIDE + LINE / 2), name, "black", font, anchor="mm")
    sheet.quantize(COLORS).save(Path(__file__).with_name("robotics.png"), optimize=True)


if __name__ == "__main__":
    main()
