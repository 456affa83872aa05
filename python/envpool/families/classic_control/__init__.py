"""Classic control: CartPole, Pendulum, MountainCar, MountainCarContinuous, Acrobot."""

from envpool.tasks.export import lazy_export

__getattr__, __dir__ = lazy_export(
    "envpool.families.classic_control._classic_control",
    __name__,
    drawing="envpool.families.classic_control.drawing",
    infos="envpool.families.classic_control.infos",
)
