"""Classic control: CartPole, Pendulum, MountainCar, MountainCarContinuous, Acrobot."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable
from envpool.tasks.export import lazy_export

INFOS: InfoTable = {"Acrobot": InfoRules(only_envpool=("state",))}


__getattr__, __dir__ = lazy_export(
    "envpool.families.classic_control._classic_control",
    __name__,
    "envpool.spec.env_spec:StatefulEnvSpec",
    drawing="envpool.families.classic_control.drawing",
    infos=__name__,
)
