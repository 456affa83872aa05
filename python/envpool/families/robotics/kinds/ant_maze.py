"""AntMaze: a map, a reward, and a version of the environment."""

from __future__ import annotations

from envpool.families.robotics.kinds.kind import REWARDS, Task

# By what is in the ids: the name of the map, and the time limit.
_MAZES = {
    "UMaze": ("U_MAZE", 700),
    "Open": ("OPEN", 700),
    "Open_Diverse_G": ("OPEN_DIVERSE_G", 700),
    "Open_Diverse_GR": ("OPEN_DIVERSE_GR", 700),
    "Medium": ("MEDIUM_MAZE", 1000),
    "Medium_Diverse_G": ("MEDIUM_MAZE_DIVERSE_G", 1000),
    "Medium_Diverse_GR": ("MEDIUM_MAZE_DIVERSE_GR", 1000),
    "Large": ("LARGE_MAZE", 1000),
    "Large_Diverse_G": ("LARGE_MAZE_DIVERSE_G", 1000),
    "Large_Diverse_GR": ("LARGE_MAZE_DIVERSE_GR", 1000),
}

TASKS = [
    Task(
        f"AntMaze_{name}{suffix}-v{version}",
        "AntMaze",
        steps,
        {"maze_map": map_name, "reward_type": reward_type, "version": version},
    )
    for name, (map_name, steps) in _MAZES.items()
    for reward_type, suffix in REWARDS.items()
    for version in (3, 4, 5)
]
