"""The record of Procgen's games."""

from envpool.families.procgen.engine import COMMAND, PACKAGE
from envpool.families.record import Family, Way

FAMILY = Family(
    title="Procgen",
    place=110,
    tasks="CoinRun, StarPilot, Maze and 13 other games of random levels; 50 ids",
    shown="CoinrunEasy-v0",
    equals=f"{PACKAGE.replace('==', ' ')}, pictures included",
    drawn="Procgen's engine",
    package="envpool.families.procgen",
    keys="envpool.families.procgen.keys:keys_of",
    page="procgen.md",
    named_by="env_name",
    ways=(
        Way(
            COMMAND,
            "its [engine](procgen.md#installing), which is in no package that can be installed",
        ),
    ),
    check="envpool.families.procgen.engine:require",
    fetched="envpool.families.procgen.engine",
    compared="the engine itself, which is fetched",
    beside=(
        "the engine and pictures that users fetch themselves: MIT, CC0, CC-BY 4.0 and, for the Qt "
        "in them, the LGPL"
    ),
    apart=True,
)
