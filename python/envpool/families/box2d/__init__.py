"""The tasks that Box2D simulates: LunarLander, BipedalWalker, CarRacing."""

from envpool.spec.infos import InfoRules, InfoTable
from envpool.tasks.export import lazy_export

INFOS: InfoTable = {
    "CarRacing": InfoRules(only_gymnasium=("lap_finished",), only_terminated=("lap_finished",))
}

__getattr__, __dir__ = lazy_export(
    "envpool.families.box2d._box2d",
    __name__,
    drawing="envpool.families.box2d.drawing",
    infos=__name__,
)
