"""What the suite of MiniGrid and BabyAI times."""

from case import Case

SECONDS = 0.1
CASES = [
    Case("MiniGrid-DoorKey-8x8-v0", 1),
    *(
        Case(task, 64)
        for task in (
            "MiniGrid-DoorKey-8x8-v0",
            "MiniGrid-Dynamic-Obstacles-8x8-v0",
            "MiniGrid-KeyCorridorS6R3-v0",
            "MiniGrid-MultiRoom-N6-v0",
            "BabyAI-GoToLocal-v0",
            "BabyAI-BossLevel-v0",
        )
    ),
]
