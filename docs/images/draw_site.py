"""Draws docs/images/site.png: three pages of the site, as CONTRIBUTING.md says how to build it.

pip install pillow  # and a program chromium
python docs/images/draw_site.py build/site
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

PAGES = (
    "index.html",
    "generated/environments/index.html",
    "generated/environments/mujoco/ant.html",
)
WINDOW = (1280, 900)
WIDTH = 640  # of each page in the picture
GAP = 12
COLOURS = 128  # more make the file larger and the picture no better


def draw(page: Path, folder: Path) -> Image.Image:
    """A page as a browser shows it."""
    path = folder / "page.png"
    width, height = WINDOW
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--window-size={width},{height}", f"--screenshot={path}", page.resolve().as_uri()]
    subprocess.run(command, check=True, capture_output=True)
    picture = Image.open(path).convert("RGB")
    return picture.resize((WIDTH, height * WIDTH // width), Image.Resampling.LANCZOS)


def main() -> None:
    """Puts the pages beside each other."""
    site = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        pictures = [draw(site / page, Path(folder)) for page in PAGES]
    whole = Image.new("RGB", ((WIDTH + GAP) * len(PAGES) - GAP, pictures[0].height), "white")
    for column, picture in enumerate(pictures):
        whole.paste(picture, (column * (WIDTH + GAP), 0))
    whole.quantize(COLOURS).save(Path(__file__).with_name("site.png"), optimize=True)


if __name__ == "__main__":
    main()
