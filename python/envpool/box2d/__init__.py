"""The tasks that Box2D simulates: LunarLander, BipedalWalker, CarRacing."""

from envpool.families import lazy_export

__getattr__, __dir__ = lazy_export(
    "envpool.box2d._box2d", __name__, drawing="envpool.box2d.drawing"
)
