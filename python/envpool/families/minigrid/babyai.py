"""The tasks of BabyAI: every id that minigrid registers, with its options there.

Levels have limits of steps of their own, most of them by each episode's instruction.
"""

from __future__ import annotations

from typing import Any

from envpool.tasks.registration import register_family_task


def _register(name: str, level: str, **options: Any) -> None:
    register_family_task("envpool.families.minigrid", f"BabyAI-{name}", f"BabyAI{level}", **options)


# --- GoTo ----------------------------------------------------------------------------------------

_register("GoToRedBallGrey-v0", "GoToRedBall", grey=True)
_register("GoToRedBall-v0", "GoToRedBall")
_register("GoToRedBallNoDists-v0", "GoToRedBall", num_dists=0)
_register("GoToRedBlueBall-v0", "GoToRedBlueBall")
_register("GoToObj-v0", "GoToObj")
_register("GoToObjS4-v0", "GoToObj", room_size=4)
_register("GoToObjS6-v1", "GoToObj", room_size=6)
_register("GoToLocal-v0", "GoToLocal")
for _size, _counts in ((5, [2]), (6, [2, 3, 4]), (7, [4, 5]), (8, [2, 3, 4, 5, 6, 7])):
    for _count in _counts:
        _register(f"GoToLocalS{_size}N{_count}-v0", "GoToLocal", room_size=_size, num_dists=_count)
_register("GoTo-v0", "GoTo")
_register("GoToOpen-v0", "GoTo", doors_open=True)
_register("GoToObjMaze-v0", "GoTo", num_dists=1)
_register("GoToObjMazeOpen-v0", "GoTo", num_dists=1, doors_open=True)
_register("GoToObjMazeS4R2-v0", "GoTo", num_dists=1, room_size=4, num_rows=2, num_cols=2)
for _size in (4, 5, 6, 7):
    _register(f"GoToObjMazeS{_size}-v0", "GoTo", num_dists=1, room_size=_size)
_register("GoToImpUnlock-v0", "GoToImpUnlock")
_register("GoToDoor-v0", "GoToDoor")
_register("GoToObjDoor-v0", "GoToObjDoor")

# --- Open ----------------------------------------------------------------------------------------

_register("Open-v0", "Open")
_register("OpenRedDoor-v0", "OpenRedDoor")
_register("OpenDoor-v0", "OpenDoor")
_register("OpenDoorDebug-v0", "OpenDoor", debug=True)
_register("OpenDoorColor-v0", "OpenDoor", select_by="color")
_register("OpenDoorLoc-v0", "OpenDoor", select_by="loc")
_RED_BLUE: dict[str, Any] = {"first_color": "red", "second_color": "blue"}
_register("OpenTwoDoors-v0", "OpenTwoDoors")
_register("OpenRedBlueDoors-v0", "OpenTwoDoors", **_RED_BLUE)
_register("OpenRedBlueDoorsDebug-v0", "OpenTwoDoors", strict=True, **_RED_BLUE)
for _count in (2, 4):
    _register(f"OpenDoorsOrderN{_count}-v0", "OpenDoorsOrder", num_doors=_count)
    _register(f"OpenDoorsOrderN{_count}Debug-v0", "OpenDoorsOrder", num_doors=_count, debug=True)

# --- Pickup --------------------------------------------------------------------------------------

_register("Pickup-v0", "Pickup")
_register("UnblockPickup-v0", "UnblockPickup")
_register("PickupDist-v0", "PickupDist")
_register("PickupDistDebug-v0", "PickupDist", debug=True)
_register("PickupAbove-v0", "PickupAbove")

# --- PutNext -------------------------------------------------------------------------------------

_register("PutNextLocal-v0", "PutNextLocal")
for _size, _count in ((5, 3), (6, 4)):
    _register(f"PutNextLocalS{_size}N{_count}-v0", "PutNextLocal", room_size=_size, num_objs=_count)
for _size, _count in ((4, 1), (5, 1), (5, 2), (6, 3), (7, 4)):
    _register(f"PutNextS{_size}N{_count}-v0", "PutNext", room_size=_size, objs_per_room=_count)
for _size, _count in ((5, 2), (6, 3), (7, 4)):
    _register(
        f"PutNextS{_size}N{_count}Carrying-v0",
        "PutNext",
        room_size=_size,
        objs_per_room=_count,
        start_carrying=True,
    )

# --- Unlock --------------------------------------------------------------------------------------

_register("Unlock-v0", "Unlock")
_register("UnlockLocal-v0", "UnlockLocal")
_register("UnlockLocalDist-v0", "UnlockLocal", distractors=True)
_register("KeyInBox-v0", "KeyInBox")
_register("UnlockPickup-v0", "UnlockPickup")
_register("UnlockPickupDist-v0", "UnlockPickup", distractors=True)
_register("BlockedUnlockPickup-v0", "BlockedUnlockPickup")
_register("UnlockToUnlock-v0", "UnlockToUnlock")

# --- others --------------------------------------------------------------------------------------

_register("ActionObjDoor-v0", "ActionObjDoor")
for _size in (5, 6, 7):
    _register(f"FindObjS{_size}-v0", "FindObj", room_size=_size)
_register("KeyCorridor-v0", "KeyCorridor")
for _size, _rows in ((3, 1), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3)):
    _register(f"KeyCorridorS{_size}R{_rows}-v0", "KeyCorridor", room_size=_size, num_rows=_rows)
for _size in (8, 12, 16, 20):
    _register(f"OneRoomS{_size}-v0", "OneRoom", room_size=_size)
for _size, _count in ((5, 2), (8, 9)):
    _register(
        f"MoveTwoAcrossS{_size}N{_count}-v0",
        "MoveTwoAcross",
        room_size=_size,
        objs_per_room=_count,
    )

# --- LevelGen: GoToSeq, PickupLoc, and all that minigrid has in synth.py -------------------------

_GO_TO_SEQ: dict[str, Any] = {
    "action_kinds": ["goto"],
    "locked_room_prob": 0.0,
    "locations": False,
    "unblocking": False,
}
_register("GoToSeq-v0", "LevelGen", **_GO_TO_SEQ)
_register(
    "GoToSeqS5R2-v0", "LevelGen", room_size=5, num_rows=2, num_cols=2, num_dists=4, **_GO_TO_SEQ
)
_register(
    "PickupLoc-v0",
    "LevelGen",
    num_rows=1,
    num_cols=1,
    num_dists=8,
    action_kinds=["pickup"],
    instr_kinds=["action"],
    locked_room_prob=0.0,
    unblocking=False,
)
_SYNTH: dict[str, Any] = {"instr_kinds": ["action"], "locations": False, "implicit_unlock": False}
_register("Synth-v0", "LevelGen", **_SYNTH)
_register("SynthS5R2-v0", "LevelGen", room_size=5, num_rows=2, **_SYNTH)
_register("SynthLoc-v0", "LevelGen", instr_kinds=["action"], implicit_unlock=False)
_register("SynthSeq-v0", "LevelGen", implicit_unlock=False)
_register(
    "MiniBossLevel-v0",
    "LevelGen",
    room_size=5,
    num_rows=2,
    num_cols=2,
    num_dists=7,
    locked_room_prob=0.25,
)
_register("BossLevel-v0", "LevelGen")
_register("BossLevelNoUnlock-v0", "LevelGen", locked_room_prob=0.0, implicit_unlock=False)
