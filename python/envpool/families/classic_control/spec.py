"""ClassicControlEnvSpec: tasks whose state users read and set, as with Gymnasium's environments."""

from __future__ import annotations

from envpool.spec.env_spec import EnvSpec
from envpool.spec.infos import InfoRules, InfoTable

INFOS: InfoTable = {"Acrobot": InfoRules(only_envpool=("state",))}


class ClassicControlEnvSpec(EnvSpec):
    """An :class:`EnvSpec` of environments that have an attribute ``state``."""

    has_state = True
