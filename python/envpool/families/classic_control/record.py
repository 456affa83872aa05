"""The record of classic control."""

from envpool.families.record import GYMNASIUM, Family

FAMILY = Family(
    title="Classic control",
    place=10,
    tasks="CartPole, Pendulum, MountainCar, MountainCarContinuous, Acrobot",
    shown="CartPole-v1",
    equals=f"Gymnasium {GYMNASIUM}, pictures included",
    drawn="Gymnasium's own renderers, from the native environment's state",
    package="envpool.families.classic_control",
    keys="envpool.families.classic_control.keys:keys_of",
    upstream={"gymnasium": GYMNASIUM},
)
