"""Draws docs/images/dm_control.png: a task of each of dm_control's domains after random actions.

pip install ".[dm_control,examples]"
python docs/images/draw_suite.py
"""

from robot_pictures import draw, save

# Steps, and which of the model's cameras.
TASKS = {
    "AcrobotSwingup": (20, 0),
    "BallInCupCatch": (10, 0),
    "CartpoleSwingup": (20, 0),
    "CheetahRun": (30, 0),
    "DogWalk": (4, 1),
    "FingerTurnEasy": (10, 0),
    "FishSwim": (10, 0),
    "HopperStand": (4, 0),
    "HumanoidWalk": (4, 1),
    "HumanoidCMUWalk": (4, 1),
    "LqrLqr62": (5, 0),
    "ManipulatorBringPeg": (10, 0),
    "PendulumSwingup": (10, 0),
    "PointMassEasy": (20, 0),
    "QuadrupedEscape": (20, 1),
    "ReacherEasy": (10, 0),
    "StackerStack4": (20, 0),
    "SwimmerSwimmer15": (20, 0),
    "WalkerWalk": (4, 0),
}


def main() -> None:
    """Draws all of them in rows, with their names below."""
    pictures = {
        name: draw(f"{name}-v1", steps, side=168, render_camera_id=camera)
        for name, (steps, camera) in TASKS.items()
    }
    save("dm_control.png", pictures, columns=5, line=24, size=14, colors=160)


if __name__ == "__main__":
    main()
