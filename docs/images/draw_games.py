"""Draws atari.png, procgen.png, vizdoom.png and football.png: games after some random actions.

pip install ".[atari,examples,vizdoom-maps]"
python -m envpool fetch procgen
python docs/images/draw_games.py
"""

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray
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
PROCGEN = {
    "Bigfish": 120, "Bossfight": 60, "Caveflyer": 20, "Chaser": 40, "Climber": 40, "Coinrun": 60,
    "Dodgeball": 30, "Fruitbot": 40, "Heist": 10, "Jumper": 30, "Leaper": 20, "Maze": 10,
    "Miner": 30, "Ninja": 40, "Plunder": 60, "Starpilot": 50,
}  # fmt: skip
VIZDOOM = {
    "DeadlyCorridor": 12, "Deathmatch": 20, "DefendTheCenter": 30, "DefendTheLine": 20,
    "HealthGathering": 15, "HealthGatheringSupreme": 20, "MyWayHome": 20, "PredictPosition": 10,
    "Basic": 10, "TakeCover": 15, "Cig": 20, "D3Battle": 20,
}  # fmt: skip
FOOTBALL = {
    "11_vs_11_stochastic": 60, "5_vs_5": 40, "academy_corner": 10,
    "academy_counterattack_hard": 15, "academy_3_vs_1_with_keeper": 8, "academy_run_to_score": 15,
}  # fmt: skip
COLUMNS = 9
SIDE = 160  # of a game of Procgen's
PRESSED = 0.3  # how probably a button of ViZDoom is
SCENE = (213, 160)  # of ViZDoom's
PITCH = (300, 200)  # of football
GAP = 4  # between pictures


def draw(task_id: str, steps: int) -> Image.Image:
    """The screen of one game."""
    env = envpool.make(task_id, "gymnasium", seed=3, render_mode="rgb_array")
    env.reset()
    rng = np.random.default_rng(3)
    for _ in range(steps):
        env.step(action(rng, env))
    return Image.fromarray(env.render()[0])


def action(rng: np.random.Generator, env: Any) -> NDArray[Any]:
    """A random one; of buttons, some that are pressed."""
    if isinstance(env.action_space, Discrete):
        return rng.integers(env.action_space.n, size=1)
    return (rng.random((1, *env.action_space.shape)) < PRESSED).astype(float)


def save(name: str, pictures: list[Image.Image], columns: int) -> None:
    """Writes them in rows."""
    width, height = pictures[0].size
    rows = -(-len(pictures) // columns)
    size = (columns * (width + GAP) - GAP, rows * (height + GAP) - GAP)
    sheet = Image.new("RGB", size, "white")
    for i, picture in enumerate(pictures):
        sheet.paste(picture, (i % columns * (width + GAP), i // columns * (height + GAP)))
    sheet.quantize(256).save(Path(__file__).with_name(name), optimize=True)


def main() -> None:
    """Draws all."""
    save("atari.png", [draw(f"{name}-v5", steps) for name, steps in GAMES.items()], COLUMNS)
    levels = [draw(f"{name}Hard-v0", steps) for name, steps in PROCGEN.items()]
    save("procgen.png", [level.resize((SIDE, SIDE)) for level in levels], len(levels) // 2)
    scenes = [draw(f"{name}-v1", steps) for name, steps in VIZDOOM.items()]
    pitches = [draw(f"gfootball/{name}-v1", steps) for name, steps in FOOTBALL.items()]
    save("football.png", [pitch.resize(PITCH) for pitch in pitches], len(pitches) // 2)
    save("vizdoom.png", [scene.resize(SCENE) for scene in scenes], len(scenes) // 2)


if __name__ == "__main__":
    main()
