"""The tasks that Box2D simulates: LunarLander, BipedalWalker, CarRacing."""

from envpool.tasks.export import lazy_export

__getattr__, __dir__ = lazy_export(
    "envpool.families.box2d._box2d",
    __name__,
    drawing="envpool.families.box2d.drawing",
    infos="envpool.families.box2d.infos",
)
