"""Draws docs/images/classic_control.png: the five tasks of classic control after some steps.

pip install ".[render,examples]"
python docs/images/draw_classic.py
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import envpool

# The action, taken so many times, that shows the task at its best.
TASKS = {
    "CartPole-v1": (1, 6),
    "Pendulum-v1": (1.5, 25),
    "MountainCar-v0": (2, 16),
    "MountainCarContinuous-v0": (-1.0, 30),
    "Acrobot-v1": (2, 5),
}
HEIGHT = 200  # of a picture, pixels
GAP, LINE = 4, 22  # between pictures, and for names


def draw(task_id: str, action: float, steps: int) -> Image.Image:
    """A picture of one task."""
    env = envpool.make(task_id, "gymnasium", seed=3, render_mode="rgb_array")
    env.reset()
    for _ in range(steps):
        env.step(np.full((1, *env.action_space.shape), action, env.action_space.dtype))
    picture = Image.fromarray(env.render()[0])
    return picture.resize((round(picture.width * HEIGHT / picture.height), HEIGHT))


def main() -> None:
    """Draws all of them side by side, with their names below."""
    pictures = {task_id: draw(task_id, *plan) for task_id, plan in TASKS.items()}
    width = sum(picture.width + GAP for picture in pictures.values()) - GAP
    sheet = Image.new("RGB", (width, HEIGHT + LINE), "lightgrey")
    text = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=15)
    x = 0
    for task_id, picture in pictures.items():
        sheet.paste(picture, (x, 0))
        middle = (x + picture.width / 2, HEIGHT + LINE / 2)
        text.text(middle, task_id.partition("-")[0], "black", font, anchor="mm")
        x += picture.width + GAP
    sheet.quantize(64).save(Path(__file__).with_name("classic_control.png"), optimize=True)


if __name__ == "__main__":
    main()
