"""Classic control: CartPole, Pendulum, MountainCar, MountainCarContinuous, Acrobot."""

from envpool.families import lazy_export

__getattr__, __dir__ = lazy_export(
    "envpool.classic_control._classic_control",
    __name__,
    drawing="envpool.classic_control.drawing",
)
