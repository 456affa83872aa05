"""Infos of grid worlds: minigrid has none, EnvPool has two."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

_LEVELS = (
    "DoorKey", "Empty", "Fetch", "GoToDoor", "GoToObject",
)  # fmt: skip

INFOS: InfoTable = {
    f"MiniGrid{level}": InfoRules(only_envpool=("agent_pos", "mission_id")) for level in _LEVELS
}
