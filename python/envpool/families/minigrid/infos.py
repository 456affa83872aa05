"""Infos of grid worlds: minigrid has none, EnvPool has two."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

_LEVELS = """
    BlockedUnlockPickup Crossing DistShift DoorKey DynamicObstacles Empty Fetch FourRooms GoToDoor
    GoToObject KeyCorridor LavaGap LockedRoom Memory MultiRoom ObstructedMaze
    ObstructedMazeTwoRooms ObstructedMazeV1 Playground PutNear RedBlueDoors Unlock UnlockPickup
""".split()  # noqa: SIM905 - a list of so many strings is harder to read

INFOS: InfoTable = {
    f"MiniGrid{level}": InfoRules(only_envpool=("agent_pos", "mission_id")) for level in _LEVELS
}
