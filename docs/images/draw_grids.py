"""Draws docs/images/minigrid.png: twelve levels of MiniGrid as they begin.

pip install ".[examples]"
python docs/images/draw_grids.py
"""

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

import envpool

# Levels, and the seeds that show them at their best.
LEVELS = {
    "DoorKey-8x8-v0": 1,
    "LavaCrossingS9N3-v0": 2,
    "FourRooms-v0": 1,
    "MultiRoom-N6-v0": 5,
    "LockedRoom-v0": 1,
    "Playground-v0": 2,
    "KeyCorridorS6R3-v0": 3,
    "ObstructedMaze-Full-v1": 1,
    "Dynamic-Obstacles-8x8-v0": 1,
    "PutNear-8x8-N3-v0": 3,
    "MemoryS13-v0": 1,
    "GoToDoor-8x8-v0": 4,
}
COLUMNS = 6
SIDE = 200  # of a picture, pixels
GAP, LINE = 6, 18  # between pictures, and for names


def draw(name: str, seed: int) -> Image.Image:
    """A picture of one level."""
    env = envpool.make(
        f"MiniGrid-{name}", "gymnasium", seed=seed, render_mode="rgb_array", tile_size=24
    )
    env.reset()
    picture = Image.fromarray(env.render()[0])
    picture.thumbnail((SIDE, SIDE))
    return picture


def main() -> None:
    """Draws all of them in rows, with their names below."""
    rows = -(-len(LEVELS) // COLUMNS)
    size = (COLUMNS * (SIDE + GAP) - GAP, rows * (SIDE + LINE + GAP) - GAP)
    sheet = Image.new("RGB", size, "white")
    text = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=13)
    for i, (name, seed) in enumerate(LEVELS.items()):
        picture = draw(name, seed)
        x, y = i % COLUMNS * (SIDE + GAP), i // COLUMNS * (SIDE + LINE + GAP)
        sheet.paste(picture, (x + (SIDE - picture.width) // 2, y + (SIDE - picture.height) // 2))
        middle = (x + SIDE / 2, y + SIDE + LINE / 2)
        text.text(middle, name.rpartition("-v")[0], "black", font, anchor="mm")
    sheet.quantize(128).save(Path(__file__).with_name("minigrid.png"), optimize=True)


if __name__ == "__main__":
    main()
