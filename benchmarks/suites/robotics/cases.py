"""What the suite of Gymnasium-Robotics times."""

from case import simulator_case

SECONDS = 0.5
CASES = [
    simulator_case(task, num_envs)
    for task in (
        "FetchReach-v4",
        "FetchPush-v4",
        "HandManipulateBlock-v1",
        "AdroitHandDoor-v1",
        "PointMaze_Large-v3",
    )
    for num_envs in (1, 64)
]
