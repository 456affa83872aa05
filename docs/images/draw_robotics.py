"""Draws docs/images/robotics.png: tasks of Gymnasium-Robotics after random actions.

pip install ".[robotics,examples]"
python docs/images/draw_robotics.py
"""

from robot_pictures import draw, save

# Steps.
TASKS = {
    "FetchReach-v4": 20,
    "FetchPush-v4": 10,
    "FetchPickAndPlace-v4": 20,
    "FetchSlide-v4": 10,
    "HandReach-v3": 20,
    "HandManipulateBlock-v1": 5,
    "HandManipulateEgg-v1": 5,
    "HandManipulatePen-v1": 5,
    "AdroitHandDoor-v1": 10,
    "AdroitHandHammer-v1": 10,
    "AdroitHandPen-v1": 5,
    "AdroitHandRelocate-v1": 10,
    "PointMaze_UMaze-v3": 20,
    "PointMaze_Large-v3": 20,
    "FrankaKitchen-v1": 10,
}


def main() -> None:
    """Draws all of them in rows, with their names below."""
    pictures = {name: draw(name, steps, side=168) for name, steps in TASKS.items()}
    save("robotics.png", pictures, columns=5, line=24, size=13, colors=160)


if __name__ == "__main__":
    main()
