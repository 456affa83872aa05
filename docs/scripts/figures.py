"""Pictures of environments after some random steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import envpool
from envpool.cli.film import GifWriter
from envpool.cli.policies import make_policy

_STEPS = 20  # before the picture
_PICTURES = 60  # of a moving one
_WIDTH = 240


def draw(task_id: str, path: Path) -> None:
    """Writes a picture of a task.

    Raises:
        RuntimeError: There is no offscreen OpenGL, which MuJoCo's tasks need.
        ImportError: What draws it is not installed.
    """
    picture = next(islice(_frames(task_id), _STEPS, None))
    Image.fromarray(picture).save(path, optimize=True)


def animate(task_id: str, path: Path) -> None:
    """Writes a moving picture of a task, as :func:`draw` does."""
    writer = GifWriter(path, 25)
    for picture in islice(_frames(task_id), _PICTURES):
        writer.add(picture)
    writer.close()


def _frames(task_id: str) -> Iterator[NDArray[np.uint8]]:
    with envpool.make_gymnasium(task_id, num_envs=1, seed=1, render_mode="rgb_array") as pool:
        act = make_policy("random", pool.spec, 1)
        observation, info = pool.reset()
        over = np.zeros(1, bool)
        while True:
            yield _small(pool.render()[0])
            action = act(observation, info, over)
            observation, _, terminated, truncated, info = pool.step(action)
            over = terminated | truncated


def _small(picture: NDArray[Any]) -> NDArray[np.uint8]:
    """The picture with rows of `_WIDTH` pixels at most."""
    height, width, _ = picture.shape
    if width <= _WIDTH:
        return picture
    image = Image.fromarray(picture).resize(
        (_WIDTH, round(height * _WIDTH / width)), Image.Resampling.LANCZOS
    )
    return np.asarray(image)
