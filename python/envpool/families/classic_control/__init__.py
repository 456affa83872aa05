"""Classic control: CartPole, Pendulum, MountainCar, MountainCarContinuous, Acrobot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from envpool.spec.infos import InfoRules, InfoTable
from envpool.tasks.export import lazy_export

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec

INFOS: InfoTable = {"Acrobot": InfoRules(only_envpool=("state",))}


def _spec_base() -> type[EnvSpec]:
    from envpool.spec.env_spec import EnvSpec  # which loads the native core

    class ClassicControlEnvSpec(EnvSpec):
        """An :class:`EnvSpec` of environments that have an attribute ``state``."""

        has_state = True

    return ClassicControlEnvSpec


__getattr__, __dir__ = lazy_export(
    "envpool.families.classic_control._classic_control",
    __name__,
    _spec_base,
    drawing="envpool.families.classic_control.drawing",
    infos=__name__,
)
