"""Pictures of environments after some random steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import envpool
from envpool.films.files import write_film
from envpool.films.policies import random_policy

_STEPS = 50  # before the picture: LunarLander is in sight
_PICTURES = 60  # of a moving one
_WIDTH = 240


def draw(task_id: str, path: Path) -> None:
    """Writes a picture of a task.

    Raises:
        RuntimeError: There is no offscreen OpenGL, which MuJoCo's tasks need.
        ImportError: What draws it is not installed.
    """
    picture = next(_frames(task_id, _STEPS))
    Image.fromarray(picture).save(path, optimize=True)


def animate(task_id: str, path: Path) -> None:
    """Writes a moving picture of a task, as :func:`draw` does."""
    write_film(path, 25, {}, islice(_frames(task_id), _PICTURES))


def _frames(task_id: str, first: int = 0) -> Iterator[NDArray[np.uint8]]:
    """The pictures of random steps, from the one after so many of them on."""
    with envpool.make_gymnasium(task_id, num_envs=1, seed=1, render_mode="rgb_array") as pool:
        act = random_policy(pool.spec, 1)
        observation, info = pool.reset()
        over = np.zeros(1, bool)
        for step in count():
            if step >= first:
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
