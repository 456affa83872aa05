"""The record of MiniGrid and BabyAI."""

from envpool.families.record import GYMNASIUM, Family

_MINIGRID = "3.2.0"
FAMILY = Family(
    title="MiniGrid, BabyAI",
    place=80,
    tasks=(
        "DoorKey, KeyCorridor, MultiRoom, ObstructedMaze, BossLevel and other grid worlds; 178 "
        "tasks, and maps and levels of your own"
    ),
    shown="MiniGrid-DoorKey-8x8-v0",
    equals=f"minigrid {_MINIGRID}, pictures included",
    drawn="the environment itself",
    package="envpool.families.minigrid",
    keys="envpool.families.minigrid.keys:keys_of",
    page="minigrid.md",
    upstream={"gymnasium": GYMNASIUM, "minigrid": _MINIGRID},
    also="networkx imageio",
)
