"""Draws docs/images/metaworld.png: ten of Meta-World's tasks after random actions.

pip install ".[metaworld,examples]"; pip install --no-deps metaworld==3.1.1
python docs/images/draw_metaworld.py
"""

from envpool.families.metaworld.benchmarks import BENCHMARKS
from envpool.families.metaworld.registration import TASKS
from robot_pictures import draw, save


def main() -> None:
    """Draws all of them in rows, with their names below."""
    ids = {name: task_id for task_id, name in TASKS.items()}
    # As the camera stands, the picture is upside down.
    pictures = {
        name: draw(ids[f"{name}-v3"], 20, side=168, camera_name="corner2").rotate(180)
        for name in BENCHMARKS["MT10"][0]
    }
    save("metaworld.png", pictures, columns=5, line=24, size=13, colors=160)


if __name__ == "__main__":
    main()
