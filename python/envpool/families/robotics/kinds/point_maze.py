"""PointMaze: a map and a reward."""

from __future__ import annotations

from envpool.families.robotics.kinds.kind import REWARDS, Task

# By what is in the ids: the name of the map, and the time limit.
_MAZES = {
    "Open": ("OPEN", 300),
    "UMaze": ("U_MAZE", 300),
    "Medium": ("MEDIUM_MAZE", 600),
    "Large": ("LARGE_MAZE", 800),
    "Open_Diverse_G": ("OPEN_DIVERSE_G", 300),
    "Open_Diverse_GR": ("OPEN_DIVERSE_GR", 300),
    "Medium_Diverse_G": ("MEDIUM_MAZE_DIVERSE_G", 600),
    "Medium_Diverse_GR": ("MEDIUM_MAZE_DIVERSE_GR", 600),
    "Large_Diverse_G": ("LARGE_MAZE_DIVERSE_G", 800),
    "Large_Diverse_GR": ("LARGE_MAZE_DIVERSE_GR", 800),
}

TASKS = [
    Task(
        f"PointMaze_{name}{suffix}-v3",
        "PointMaze",
        steps,
        {"maze_map": map_name, "reward_type": reward_type},
    )
    for name, (map_name, steps) in _MAZES.items()
    for reward_type, suffix in REWARDS.items()
]
