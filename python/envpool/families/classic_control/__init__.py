"""Classic control: CartPole, Pendulum, MountainCar, MountainCarContinuous, Acrobot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envpool.tasks.export import lazy_export

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec


def _spec_base() -> type[EnvSpec]:
    from envpool.families.classic_control.spec import ClassicControlEnvSpec  # which loads NumPy

    return ClassicControlEnvSpec


__getattr__, __dir__ = lazy_export(
    "envpool.families.classic_control._classic_control",
    __name__,
    _spec_base,
    drawing="envpool.families.classic_control.drawing",
    infos="envpool.families.classic_control.spec",
)
