"""Draws docs/images/box2d.png: the tasks of Box2D after some steps.

pip install ".[render]"
python docs/images/draw_box2d.py
"""

from pathlib import Path

import numpy as np
from PIL import Image

import envpool

STEPS = {"CarRacing-v3": 70, "LunarLander-v3": 24, "BipedalWalkerHardcore-v3": 25}
ACTIONS = {
    "CarRacing-v3": np.array([[0.0, 0.3, 0.0]], np.float32),
    "LunarLander-v3": np.array([2]),
    "BipedalWalkerHardcore-v3": np.array([[0.4, 0.2, -0.4, 0.2]], np.float32),
}


def picture(task_id: str) -> np.ndarray:
    """One environment after the steps, RGB, uint8 of shape ``(400, 600, 3)``."""
    pool = envpool.make_gymnasium(task_id, num_envs=1, seed=4, render_mode="rgb_array")
    pool.reset()
    for _ in range(STEPS[task_id]):
        pool.step(ACTIONS[task_id])
    return pool.render()[0]


def main() -> None:
    """Draws all of them side by side."""
    row = np.concatenate([picture(task_id) for task_id in STEPS], axis=1)
    image = Image.fromarray(row)
    image = image.resize((image.width // 2, image.height // 2), Image.Resampling.LANCZOS)
    image.save(Path(__file__).with_name("box2d.png"), optimize=True)


if __name__ == "__main__":
    main()
