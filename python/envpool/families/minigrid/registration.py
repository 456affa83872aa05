"""The tasks of MiniGrid: every id that minigrid registers, with its options there.

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
