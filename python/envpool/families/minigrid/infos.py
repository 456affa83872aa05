"""Infos of grid worlds: minigrid has none, EnvPool has two."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

_LEVELS = """
    BlockedUnlockPickup Crossing DistShift DoorKey DynamicObstacles Empty Fetch FourRooms GoToDoor
    GoToObject KeyCorridor LavaGap LockedRoom Map Memory MultiRoom ObstructedMaze
    ObstructedMazeTwoRooms ObstructedMazeV1 Playground PutNear RedBlueDoors Unlock UnlockPickup WFC
""".split()  # noqa: SIM905 - a list of so many strings is harder to read

_BABYAI_LEVELS = """
    ActionObjDoor BlockedUnlockPickup FindObj GoTo GoToDoor GoToImpUnlock GoToLocal GoToObj
    GoToObjDoor GoToRedBall GoToRedBlueBall KeyCorridor KeyInBox LevelGen MoveTwoAcross OneRoom Open
    OpenDoor OpenDoorsOrder OpenRedDoor OpenTwoDoors Pickup PickupAbove PickupDist PutNext
    PutNextLocal UnblockPickup Unlock UnlockLocal UnlockPickup UnlockToUnlock
""".split()  # noqa: SIM905 - so is this one

INFOS: InfoTable = {
    name: InfoRules(only_envpool=("agent_pos", "mission_id"))
    for name in [f"MiniGrid{level}" for level in _LEVELS]
    + [f"BabyAI{level}" for level in _BABYAI_LEVELS]
}
