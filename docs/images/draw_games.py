"""Draws docs/images/atari.png: screens of nine of the games after some random actions.

pip install ".[atari,examples]"
python docs/images/draw_games.py
"""

from pathlib import Path

import numpy as np
from PIL import Image

import envpool

# How many steps of random actions show the game at its best.
GAMES = {
    "Pong": 60,
    "Breakout": 120,
    "SpaceInvaders": 90,
    "MsPacman": 80,
    "Seaquest": 150,
    "Qbert": 60,
    "MontezumaRevenge": 30,
    "BeamRider": 150,
    "Pitfall": 40,
}
COLUMNS = 9
GAP = 4  # between pictures


def draw(name: str, steps: int) -> Image.Image:
    """The screen of one game."""
    env = envpool.make(f"{name}-v5", "gymnasium", seed=3, render_mode="rgb_array")
    env.reset()
    rng = np.random.default_rng(3)
    for _ in range(steps):
        env.step(rng.integers(env.action_space.n, size=1))
    return Image.fromarray(env.render()[0])


def main() -> None:
    """Draws all of them side by side."""
    pictures = [draw(name, steps) for name, steps in GAMES.items()]
    width, height = pictures[0].size
    rows = -(-len(pictures) // COLUMNS)
    size = (COLUMNS * (width + GAP) - GAP, rows * (height + GAP) - GAP)
    sheet = Image.new("RGB", size, "white")
    for i, picture in enumerate(pictures):
        sheet.paste(picture, (i % COLUMNS * (width + GAP), i // COLUMNS * (height + GAP)))
    sheet.quantize(256).save(Path(__file__).with_name("atari.png"), optimize=True)


if __name__ == "__main__":
    main()
