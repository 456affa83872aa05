"""The tasks of dm_control's suite: walker, cheetah, humanoid and others.

The classes are made when one of them is asked for, which raises an ImportError without the versions
of MuJoCo and dm_control that they follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envpool.tasks.export import lazy_export

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec


def _settings() -> dict[str, Any]:
    from envpool.families.dm_control.settings import load_settings

    return load_settings()


def _spec_base() -> type[EnvSpec]:
    from envpool.families.dm_control.spec import SuiteEnvSpec  # which loads the native core

    return SuiteEnvSpec


__getattr__, __dir__ = lazy_export(
    "envpool.families.dm_control._dm_control", __name__, _spec_base, get_settings=_settings
)
