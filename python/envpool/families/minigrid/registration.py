"""The tasks of MiniGrid: every id that minigrid registers, with its options there, and Map.

No task has a ``max_episode_steps``: levels have limits of their own, which depend on their options.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.minigrid")
_ANYWHERE: dict[str, Any] = {"agent_start_pos": [-1, -1], "agent_start_dir": -1}

for _size in (5, 6, 8, 16):
    _register(f"MiniGrid-Empty-{_size}x{_size}-v0", "MiniGridEmpty", size=_size)
    _register(f"MiniGrid-DoorKey-{_size}x{_size}-v0", "MiniGridDoorKey", size=_size)
for _size in (5, 6):
    _register(f"MiniGrid-Empty-Random-{_size}x{_size}-v0", "MiniGridEmpty", size=_size, **_ANYWHERE)
for _size, _count in ((5, 2), (6, 2), (8, 3)):
    _register(
        f"MiniGrid-Fetch-{_size}x{_size}-N{_count}-v0",
        "MiniGridFetch",
        size=_size,
        num_objs=_count,
    )
for _size in (5, 6, 8):
    _register(f"MiniGrid-GoToDoor-{_size}x{_size}-v0", "MiniGridGoToDoor", size=_size)
for _size in (6, 8):
    _register(
        f"MiniGrid-GoToObject-{_size}x{_size}-N2-v0", "MiniGridGoToObject", size=_size, num_objs=2
    )

_register("MiniGrid-Unlock-v0", "MiniGridUnlock")
_register("MiniGrid-UnlockPickup-v0", "MiniGridUnlockPickup")
_register("MiniGrid-BlockedUnlockPickup-v0", "MiniGridBlockedUnlockPickup")
for _size, _rows in ((3, 1), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3)):
    _register(
        f"MiniGrid-KeyCorridorS{_size}R{_rows}-v0",
        "MiniGridKeyCorridor",
        room_size=_size,
        num_rows=_rows,
    )

# Whether keys are in boxes, and doors blocked.
_OBSTACLES = {"Dl": (False, False), "Dlh": (True, False), "Dlhb": (True, True)}
for _name, (_in_box, _blocked) in _OBSTACLES.items():
    _register(
        f"MiniGrid-ObstructedMaze-1{_name}-v0",
        "MiniGridObstructedMazeTwoRooms",
        key_in_box=_in_box,
        blocked=_blocked,
    )
    _register(
        f"MiniGrid-ObstructedMaze-2{_name}-v0",
        "MiniGridObstructedMaze",
        key_in_box=_in_box,
        blocked=_blocked,
        agent_room=[2, 1],
        num_quarters=1,
        num_rooms_visited=4,
    )
for _name, _room, _quarters, _visited in (
    ("1Q", [1, 1], 1, 5),
    ("2Q", [2, 1], 2, 11),
    ("Full", [1, 1], 4, 25),
):
    for _version, _level in (("v0", "MiniGridObstructedMaze"), ("v1", "MiniGridObstructedMazeV1")):
        _register(
            f"MiniGrid-ObstructedMaze-{_name}-{_version}",
            _level,
            agent_room=_room,
            num_quarters=_quarters,
            num_rooms_visited=_visited,
        )
_register(
    "MiniGrid-ObstructedMaze-2Dlhb-v1",
    "MiniGridObstructedMazeV1",
    agent_room=[2, 1],
    num_quarters=1,
    num_rooms_visited=4,
)

for _size, _count in ((9, 1), (9, 2), (9, 3), (11, 5)):
    for _name, _type in (("Lava", "lava"), ("Simple", "wall")):
        _register(
            f"MiniGrid-{_name}CrossingS{_size}N{_count}-v0",
            "MiniGridCrossing",
            size=_size,
            num_crossings=_count,
            obstacle_type=_type,
        )
for _size in (5, 6, 7):
    _register(f"MiniGrid-LavaGapS{_size}-v0", "MiniGridLavaGap", size=_size)
for _number, _row in ((1, 2), (2, 5)):
    _register(f"MiniGrid-DistShift{_number}-v0", "MiniGridDistShift", strip2_row=_row)
for _size, _count in ((5, 2), (6, 3), (8, 4), (16, 8)):
    _register(
        f"MiniGrid-Dynamic-Obstacles-{_size}x{_size}-v0",
        "MiniGridDynamicObstacles",
        size=_size,
        n_obstacles=_count,
    )
for _size, _count in ((5, 2), (6, 3)):
    _register(
        f"MiniGrid-Dynamic-Obstacles-Random-{_size}x{_size}-v0",
        "MiniGridDynamicObstacles",
        size=_size,
        n_obstacles=_count,
        **_ANYWHERE,
    )
_register("MiniGrid-FourRooms-v0", "MiniGridFourRooms")
_register("MiniGrid-Playground-v0", "MiniGridPlayground")
_register("MiniGrid-LockedRoom-v0", "MiniGridLockedRoom")
for _size in (7, 9, 11, 13):
    _register(f"MiniGrid-MemoryS{_size}-v0", "MiniGridMemory", size=_size)
for _size in (13, 17):
    _register(f"MiniGrid-MemoryS{_size}Random-v0", "MiniGridMemory", size=_size, random_length=True)
# N4-S5-v0 has six rooms, by a mistake that minigrid keeps.
for _name, _rooms, _largest in (
    ("N2-S4-v0", 2, 4),
    ("N4-S5-v0", 6, 5),
    ("N4-S5-v1", 4, 5),
    ("N6-v0", 6, 10),
):
    _register(
        f"MiniGrid-MultiRoom-{_name}",
        "MiniGridMultiRoom",
        min_num_rooms=_rooms,
        max_num_rooms=_rooms,
        max_room_size=_largest,
    )
for _size, _count in ((6, 2), (8, 3)):
    _register(
        f"MiniGrid-PutNear-{_size}x{_size}-N{_count}-v0",
        "MiniGridPutNear",
        size=_size,
        num_objs=_count,
    )
for _size in (6, 8):
    _register(f"MiniGrid-RedBlueDoors-{_size}x{_size}-v0", "MiniGridRedBlueDoors", size=_size)
for _preset in (
    "MazeSimple",
    "DungeonMazeScaled",
    "RoomsFabric",
    "ObstaclesBlackdots",
    "ObstaclesAngular",
    "ObstaclesHogs3",
):
    _register(f"MiniGrid-WFC-{_preset}-v0", "MiniGridWFC", wfc_preset=_preset)

# Not minigrid's: the level that its user writes.
_register("MiniGrid-Map-v0", "MiniGridMap")
