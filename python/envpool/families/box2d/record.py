"""The record of Box2D's tasks."""

from envpool.families.record import GYMNASIUM, Contents, Family

FAMILY = Family(
    title="Box2D",
    place=30,
    tasks="LunarLander, BipedalWalker, CarRacing",
    shown="LunarLander-v3",
    equals=f"Gymnasium {GYMNASIUM}, pictures included",
    drawn=(
        "Gymnasium's own renderers, from the native environment's state; CarRacing by the "
        "environment itself"
    ),
    package="envpool.families.box2d",
    keys="envpool.families.box2d.keys:keys_of",
    page="box2d.md",
    upstream={"gymnasium": GYMNASIUM, "box2d": "2.3.10", "pygame-ce": "2.5.8"},
    contents=Contents("Box2D", "Zlib", {"box2d.txt": "Erin Catto"}),
)
