"""The record of Atari's games."""

from envpool.families.record import GYMNASIUM, Family, extra

_ALE = "0.12.1"
FAMILY = Family(
    title="Atari",
    place=100,
    tasks="Pong, Breakout, Montezuma's Revenge and 101 other games",
    shown="Pong-v5",
    equals=f"Gymnasium {GYMNASIUM}'s preprocessing with ale-py {_ALE}, pictures included",
    drawn="the emulator: the screen itself",
    package="envpool.families.atari",
    keys="envpool.families.atari.keys:keys_of",
    page="atari.md",
    named_by="task",
    ways=(extra("atari", "the ROMs", "ale-py>=0.11"),),
    check="envpool.families.atari:require_roms",
    upstream={"gymnasium": GYMNASIUM, "ale-py": _ALE},
    also="opencv-python-headless",
    beside="the ROMs in `ale-py`",
)
