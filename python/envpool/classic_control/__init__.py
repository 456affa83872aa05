"""Classic control: CartPole, Pendulum, MountainCar, MountainCarContinuous, Acrobot."""

from envpool.families import export

globals().update(export("envpool.classic_control._classic_control", __name__))
