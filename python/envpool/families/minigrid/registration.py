"""The tasks of MiniGrid and BabyAI: every id that minigrid registers, with its options there.

No task has a ``max_episode_steps``: levels have limits of their own, which depend on their options,
and BabyAI's mostly on each episode's instruction.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from envpool.tasks.registration import register_family_task

_register = partial(register_family_task, "envpool.families.minigrid")


def _babyai(name: str, level: str, **options: Any) -> None:
    _register(f"BabyAI-{name}", f"BabyAI{level}", **options)


def _minigrid(name: str, level: str, **options: Any) -> None:
    _register(f"MiniGrid-{name}", f"MiniGrid{level}", **options)


# --- BabyAI: GoTo ---------------------------------------------------------------------------------

_babyai("GoToRedBallGrey-v0", "GoToRedBall", grey=True)
_babyai("GoToRedBall-v0", "GoToRedBall")
_babyai("GoToRedBallNoDists-v0", "GoToRedBall", num_dists=0)
_babyai("GoToRedBlueBall-v0", "GoToRedBlueBall")
_babyai("GoToObj-v0", "GoToObj")
_babyai("GoToObjS4-v0", "GoToObj", room_size=4)
_babyai("GoToObjS6-v1", "GoToObj", room_size=6)
_babyai("GoToLocal-v0", "GoToLocal")
for _size, _counts in ((5, [2]), (6, [2, 3, 4]), (7, [4, 5]), (8, [2, 3, 4, 5, 6, 7])):
    for _count in _counts:
        _babyai(f"GoToLocalS{_size}N{_count}-v0", "GoToLocal", room_size=_size, num_dists=_count)
_babyai("GoTo-v0", "GoTo")
_babyai("GoToOpen-v0", "GoTo", doors_open=True)
_babyai("GoToObjMaze-v0", "GoTo", num_dists=1)
_babyai("GoToObjMazeOpen-v0", "GoTo", num_dists=1, doors_open=True)
_babyai("GoToObjMazeS4R2-v0", "GoTo", num_dists=1, room_size=4, num_rows=2, num_cols=2)
for _size in (4, 5, 6, 7):
    _babyai(f"GoToObjMazeS{_size}-v0", "GoTo", num_dists=1, room_size=_size)
_babyai("GoToImpUnlock-v0", "GoToImpUnlock")
_babyai("GoToDoor-v0", "GoToDoor")
_babyai("GoToObjDoor-v0", "GoToObjDoor")

# --- Open -----------------------------------------------------------------------------------------

_babyai("Open-v0", "Open")
_babyai("OpenRedDoor-v0", "OpenRedDoor")
_babyai("OpenDoor-v0", "OpenDoor")
_babyai("OpenDoorDebug-v0", "OpenDoor", debug=True)
_babyai("OpenDoorColor-v0", "OpenDoor", select_by="color")
_babyai("OpenDoorLoc-v0", "OpenDoor", select_by="loc")
_RED_BLUE: dict[str, Any] = {"first_color": "red", "second_color": "blue"}
_babyai("OpenTwoDoors-v0", "OpenTwoDoors")
_babyai("OpenRedBlueDoors-v0", "OpenTwoDoors", **_RED_BLUE)
_babyai("OpenRedBlueDoorsDebug-v0", "OpenTwoDoors", strict=True, **_RED_BLUE)
for _count in (2, 4):
    _babyai(f"OpenDoorsOrderN{_count}-v0", "OpenDoorsOrder", num_doors=_count)
    _babyai(f"OpenDoorsOrderN{_count}Debug-v0", "OpenDoorsOrder", num_doors=_count, debug=True)

# --- Pickup ---------------------------------------------------------------------------------------

_babyai("Pickup-v0", "Pickup")
_babyai("UnblockPickup-v0", "UnblockPickup")
_babyai("PickupDist-v0", "PickupDist")
_babyai("PickupDistDebug-v0", "PickupDist", debug=True)
_babyai("PickupAbove-v0", "PickupAbove")

# --- PutNext --------------------------------------------------------------------------------------

_babyai("PutNextLocal-v0", "PutNextLocal")
for _size, _count in ((5, 3), (6, 4)):
    _babyai(f"PutNextLocalS{_size}N{_count}-v0", "PutNextLocal", room_size=_size, num_objs=_count)
for _size, _count in ((4, 1), (5, 1), (5, 2), (6, 3), (7, 4)):
    _babyai(f"PutNextS{_size}N{_count}-v0", "PutNext", room_size=_size, objs_per_room=_count)
for _size, _count in ((5, 2), (6, 3), (7, 4)):
    _id = f"PutNextS{_size}N{_count}Carrying-v0"
    _babyai(_id, "PutNext", room_size=_size, objs_per_room=_count, start_carrying=True)

# --- Unlock ---------------------------------------------------------------------------------------

_babyai("Unlock-v0", "Unlock")
_babyai("UnlockLocal-v0", "UnlockLocal")
_babyai("UnlockLocalDist-v0", "UnlockLocal", distractors=True)
_babyai("KeyInBox-v0", "KeyInBox")
_babyai("UnlockPickup-v0", "UnlockPickup")
_babyai("UnlockPickupDist-v0", "UnlockPickup", distractors=True)
_babyai("BlockedUnlockPickup-v0", "BlockedUnlockPickup")
_babyai("UnlockToUnlock-v0", "UnlockToUnlock")

# --- BabyAI: others -------------------------------------------------------------------------------

_babyai("ActionObjDoor-v0", "ActionObjDoor")
for _size in (5, 6, 7):
    _babyai(f"FindObjS{_size}-v0", "FindObj", room_size=_size)
_babyai("KeyCorridor-v0", "KeyCorridor")
for _size, _rows in ((3, 1), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3)):
    _babyai(f"KeyCorridorS{_size}R{_rows}-v0", "KeyCorridor", room_size=_size, num_rows=_rows)
for _size in (8, 12, 16, 20):
    _babyai(f"OneRoomS{_size}-v0", "OneRoom", room_size=_size)
for _size, _count in ((5, 2), (8, 9)):
    _id = f"MoveTwoAcrossS{_size}N{_count}-v0"
    _babyai(_id, "MoveTwoAcross", room_size=_size, objs_per_room=_count)

# --- LevelGen: GoToSeq, PickupLoc, and all that minigrid has in synth.py --------------------------

_EASY: dict[str, Any] = {"locked_room_prob": 0.0, "unblocking": False}
_GO_TO: dict[str, Any] = {"action_kinds": ["goto"], "locations": False, **_EASY}
_PICKUP: dict[str, Any] = {"action_kinds": ["pickup"], "instr_kinds": ["action"], **_EASY}
_SMALL: dict[str, Any] = {"room_size": 5, "num_rows": 2, "num_cols": 2}
_babyai("GoToSeq-v0", "LevelGen", **_GO_TO)
_babyai("GoToSeqS5R2-v0", "LevelGen", num_dists=4, **_SMALL, **_GO_TO)
_babyai("PickupLoc-v0", "LevelGen", num_rows=1, num_cols=1, num_dists=8, **_PICKUP)
_SYNTH: dict[str, Any] = {"instr_kinds": ["action"], "locations": False, "implicit_unlock": False}
_babyai("Synth-v0", "LevelGen", **_SYNTH)
_babyai("SynthS5R2-v0", "LevelGen", room_size=5, num_rows=2, **_SYNTH)
_babyai("SynthLoc-v0", "LevelGen", instr_kinds=["action"], implicit_unlock=False)
_babyai("SynthSeq-v0", "LevelGen", implicit_unlock=False)
_babyai("MiniBossLevel-v0", "LevelGen", num_dists=7, locked_room_prob=0.25, **_SMALL)
_babyai("BossLevel-v0", "LevelGen")
_babyai("BossLevelNoUnlock-v0", "LevelGen", locked_room_prob=0.0, implicit_unlock=False)

# --- MiniGrid -------------------------------------------------------------------------------------

_ANYWHERE: dict[str, Any] = {"agent_start_pos": [-1, -1], "agent_start_dir": -1}

for _size in (5, 6, 8, 16):
    _minigrid(f"Empty-{_size}x{_size}-v0", "Empty", size=_size)
    _minigrid(f"DoorKey-{_size}x{_size}-v0", "DoorKey", size=_size)
for _size in (5, 6):
    _minigrid(f"Empty-Random-{_size}x{_size}-v0", "Empty", size=_size, **_ANYWHERE)
for _size, _count in ((5, 2), (6, 2), (8, 3)):
    _minigrid(f"Fetch-{_size}x{_size}-N{_count}-v0", "Fetch", size=_size, num_objs=_count)
for _size in (5, 6, 8):
    _minigrid(f"GoToDoor-{_size}x{_size}-v0", "GoToDoor", size=_size)
for _size in (6, 8):
    _minigrid(f"GoToObject-{_size}x{_size}-N2-v0", "GoToObject", size=_size, num_objs=2)

_minigrid("Unlock-v0", "Unlock")
_minigrid("UnlockPickup-v0", "UnlockPickup")
_minigrid("BlockedUnlockPickup-v0", "BlockedUnlockPickup")
for _size, _rows in ((3, 1), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3)):
    _minigrid(f"KeyCorridorS{_size}R{_rows}-v0", "KeyCorridor", room_size=_size, num_rows=_rows)


def _quarters(agent_room: list[int], number: int, visited: int) -> dict[str, Any]:
    return {"agent_room": agent_room, "num_quarters": number, "num_rooms_visited": visited}


_ONE_DOOR = _quarters([2, 1], 1, 4)
# Whether keys are in boxes, and doors blocked.
_OBSTACLES = {"Dl": (False, False), "Dlh": (True, False), "Dlhb": (True, True)}
for _name, (_in_box, _blocked) in _OBSTACLES.items():
    _kind: dict[str, Any] = {"key_in_box": _in_box, "blocked": _blocked}
    _minigrid(f"ObstructedMaze-1{_name}-v0", "ObstructedMazeTwoRooms", **_kind)
    _minigrid(f"ObstructedMaze-2{_name}-v0", "ObstructedMaze", **_kind, **_ONE_DOOR)
_QUARTERS = {
    "1Q": _quarters([1, 1], 1, 5),
    "2Q": _quarters([2, 1], 2, 11),
    "Full": _quarters([1, 1], 4, 25),
}
for _name, _options in _QUARTERS.items():
    _minigrid(f"ObstructedMaze-{_name}-v0", "ObstructedMaze", **_options)
    _minigrid(f"ObstructedMaze-{_name}-v1", "ObstructedMazeV1", **_options)
_minigrid("ObstructedMaze-2Dlhb-v1", "ObstructedMazeV1", **_ONE_DOOR)

for _size, _count in ((9, 1), (9, 2), (9, 3), (11, 5)):
    for _name, _type in (("Lava", "lava"), ("Simple", "wall")):
        _id = f"{_name}CrossingS{_size}N{_count}-v0"
        _minigrid(_id, "Crossing", size=_size, num_crossings=_count, obstacle_type=_type)
for _size in (5, 6, 7):
    _minigrid(f"LavaGapS{_size}-v0", "LavaGap", size=_size)
for _number, _row in ((1, 2), (2, 5)):
    _minigrid(f"DistShift{_number}-v0", "DistShift", strip2_row=_row)
for _size, _count in ((5, 2), (6, 3), (8, 4), (16, 8)):
    _id = f"Dynamic-Obstacles-{_size}x{_size}-v0"
    _minigrid(_id, "DynamicObstacles", size=_size, n_obstacles=_count)
for _size, _count in ((5, 2), (6, 3)):
    _id = f"Dynamic-Obstacles-Random-{_size}x{_size}-v0"
    _minigrid(_id, "DynamicObstacles", size=_size, n_obstacles=_count, **_ANYWHERE)
_minigrid("FourRooms-v0", "FourRooms")
_minigrid("Playground-v0", "Playground")
_minigrid("LockedRoom-v0", "LockedRoom")
for _size in (7, 9, 11, 13):
    _minigrid(f"MemoryS{_size}-v0", "Memory", size=_size)
for _size in (13, 17):
    _minigrid(f"MemoryS{_size}Random-v0", "Memory", size=_size, random_length=True)
# N4-S5-v0 has six rooms, by a mistake that minigrid keeps.
_ROOMS = {"N2-S4-v0": (2, 4), "N4-S5-v0": (6, 5), "N4-S5-v1": (4, 5), "N6-v0": (6, 10)}
for _name, (_count, _size) in _ROOMS.items():
    _range: dict[str, Any] = {"min_num_rooms": _count, "max_num_rooms": _count}
    _minigrid(f"MultiRoom-{_name}", "MultiRoom", max_room_size=_size, **_range)
for _size, _count in ((6, 2), (8, 3)):
    _minigrid(f"PutNear-{_size}x{_size}-N{_count}-v0", "PutNear", size=_size, num_objs=_count)
for _size in (6, 8):
    _minigrid(f"RedBlueDoors-{_size}x{_size}-v0", "RedBlueDoors", size=_size)
for _preset in (
    *("MazeSimple", "DungeonMazeScaled", "RoomsFabric"),
    *("ObstaclesBlackdots", "ObstaclesAngular", "ObstaclesHogs3"),
):
    _minigrid(f"WFC-{_preset}-v0", "WFC", wfc_preset=_preset)

# Not minigrid's: the level that its user writes.
_minigrid("Map-v0", "Map")
