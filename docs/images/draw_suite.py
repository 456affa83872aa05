"""Draws docs/images/dm_control.png: a task of each of dm_control's domains after random actions.

pip install ".[dm_control,examples]"
python docs/images/draw_suite.py
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import envpool

# Steps, and which of the model's cameras.
TASKS = {
    "AcrobotSwingup": (20, 0),
    "BallInCupCatch": (10, 0),
    "CartpoleSwingup": (20, 0),
    "CheetahRun": (30, 0),
    "DogWalk": (4, 1),
    "FingerTurnEasy": (10, 0),
    "FishSwim": (10, 0),
    "HopperStand": (4, 0),
    "HumanoidWalk": (4, 1),
    "HumanoidCMUWalk": (4, 1),
    "LqrLqr62": (5, 0),
    "ManipulatorBringPeg": (10, 0),
    "PendulumSwingup": (10, 0),
    "PointMassEasy": (20, 0),
    "QuadrupedEscape": (20, 1),
    "ReacherEasy": (10, 0),
    "StackerStack4": (20, 0),
    "SwimmerSwimmer15": (20, 0),
    "WalkerWalk": (4, 0),
}
COLUMNS = 5
SIDE = 168  # of a picture, pixels
GAP, LINE = 4, 24  # between pictures, and for names
COLORS = 160  # fewer make the file smaller


def draw(name: str, steps: int, camera: int) -> Image.Image:
    """A picture of one task."""
    env = envpool.make(
        f"{name}-v1",
        "gymnasium",
        seed=3,
        render_mode="rgb_array",
        render_width=SIDE,
        render_height=SIDE,
        render_camera_id=camera,
    )
    env.reset()
    rng, space = np.random.default_rng(3), env.action_space
    low, high = np.maximum(space.low, -1.0), np.minimum(space.high, 1.0)
    for _ in range(steps):
        env.step(rng.uniform(low, high, (1, *space.shape)))
    return Image.fromarray(env.render()[0])


def main() -> None:
    """Draws all of them in rows, with their names below."""
    rows = -(-len(TASKS) // COLUMNS)
    size = (COLUMNS * (SIDE + GAP) - GAP, rows * (SIDE + LINE))
    sheet = Image.new("RGB", size, "white")
    text = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=14)
    for i, (name, (steps, camera)) in enumerate(TASKS.items()):
        x, y = i % COLUMNS * (SIDE + GAP), i // COLUMNS * (SIDE + LINE)
        sheet.paste(draw(name, steps, camera), (x, y))
        text.text((x + SIDE / 2, y + SIDE + LINE / 2), name, "black", font, anchor="mm")
    sheet.quantize(COLORS).save(Path(__file__).with_name("dm_control.png"), optimize=True)


if __name__ == "__main__":
    main()
