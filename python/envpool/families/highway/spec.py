"""DrivingEnvSpec and INFOS: what is known of a task of highway-env."""

from __future__ import annotations

from envpool.spec.env_spec import EnvSpec
from envpool.spec.infos import InfoRules, InfoTable


class DrivingEnvSpec(EnvSpec):
    """An :class:`EnvSpec` of a driving task."""


# Upstream's resets draw an action for their info, from a generator that has no seed.
_USUAL = InfoRules(only_gymnasium=("action",), only_steps=("action",))

INFOS: InfoTable = {"Highway": _USUAL}
