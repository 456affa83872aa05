"""Draws docs/images/mujoco.png: the robots of MuJoCo's tasks after some random actions.

pip install ".[mujoco,examples]"
python docs/images/draw_robots.py
"""

import numpy as np

from robot_pictures import draw, save

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


def main() -> None:
    """Draws all of them in rows, with their names below."""
    pictures = {
        name: draw(f"{name}-v5", steps, side=216, largest=np.inf, default_camera_config=camera)
        for name, (steps, camera) in ROBOTS.items()
    }
    save("mujoco.png", pictures, columns=4, line=26, size=15, colors=128)


if __name__ == "__main__":
    main()
