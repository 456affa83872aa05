"""Draws docs/images/mujoco.png: the robots of MuJoCo's tasks after some random actions.

pip install ".[mujoco,examples]"
python docs/images/draw_robots.py
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import envpool

# Steps, and the camera's settings where a task's own show the robot small or from the wrong side.
ROBOTS = {
    "Ant": (12, {"distance": 4.5, "elevation": -30.0, "azimuth": 120.0}),
    "HalfCheetah": (15, {"distance": 3.0, "elevation": -15.0}),
    "Hopper": (8, {"distance": 3.0, "elevation": -15.0}),
    "Humanoid": (6, {"distance": 2.6, "elevation": -15.0, "azimuth": 150.0}),
    "HumanoidStandup": (30, {"distance": 2.4, "elevation": -25.0, "azimuth": 60.0}),
    "InvertedDoublePendulum": (4, {"distance": 3.0}),
    "InvertedPendulum": (4, {}),
    "Pusher": (15, {"distance": 2.1, "elevation": -35.0, "azimuth": 160.0}),
    "Reacher": (10, {"distance": 0.8, "elevation": -60.0}),
    "Swimmer": (60, {"distance": 5.0, "elevation": -50.0}),
    "Walker2d": (8, {"distance": 3.5, "elevation": -15.0}),
}
COLUMNS = 4
SIDE = 216  # of a picture, pixels
GAP, LINE = 4, 26  # between pictures, and for names
COLORS = 128  # fewer make the file smaller


def draw(name: str, steps: int, camera: dict[str, float]) -> Image.Image:
    """A picture of one robot."""
    env = envpool.make(
        f"{name}-v5",
        "gymnasium",
        seed=3,
        render_mode="rgb_array",
        render_width=SIDE,
        render_height=SIDE,
        default_camera_config=camera,
    )
    env.reset()
    rng, space = np.random.default_rng(3), env.action_space
    for _ in range(steps):
        env.step(rng.uniform(space.low, space.high, (1, *space.shape)))
    return Image.fromarray(env.render()[0])


def main() -> None:
    """Draws all of them in rows, with their names below."""
    rows = -(-len(ROBOTS) // COLUMNS)
    size = (COLUMNS * (SIDE + GAP) - GAP, rows * (SIDE + LINE))
    sheet = Image.new("RGB", size, "white")
    text = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=15)
    for i, (name, (steps, camera)) in enumerate(ROBOTS.items()):
        x, y = i % COLUMNS * (SIDE + GAP), i // COLUMNS * (SIDE + LINE)
        sheet.paste(draw(name, steps, camera), (x, y))
        text.text((x + SIDE / 2, y + SIDE + LINE / 2), name, "black", font, anchor="mm")
    sheet.quantize(COLORS).save(Path(__file__).with_name("mujoco.png"), optimize=True)


if __name__ == "__main__":
    main()
