"""ProcgenEnvSpec: upstream's names of modes beside EnvPool's numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from envpool.families.procgen.engine import PACKAGE
from envpool.families.procgen.registration import MODES
from envpool.spec.env_spec import EnvSpec
from envpool.spec.option_values import KnownOptions

# Upstream's combinations of buttons, in the order of the actions.
MEANINGS = (
    *("LEFT DOWN", "LEFT", "LEFT UP", "DOWN", "NOOP", "UP", "RIGHT DOWN", "RIGHT", "RIGHT UP"),
    *"DAWSQE",
)
_NUMBERS = {name.lower(): number for name, number in MODES.items()}


class ProcgenOptions(KnownOptions):
    """Options whose ``distribution_mode`` may be a name."""

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`; here ``"easy"`` is 0, and so on.

        Args:
            kwargs: Values of options.
        """
        result = super().own_names(kwargs)
        mode = result.get("distribution_mode")
        if isinstance(mode, str) and mode in _NUMBERS:
            result["distribution_mode"] = _NUMBERS[mode]
        return result


class ProcgenEnvSpec(EnvSpec):
    """An :class:`EnvSpec` that also takes upstream's names of modes.

    Specs, pools and environments have ``get_action_meanings()``, which names upstream's buttons.

    Observations are uint8 of shape ``(3, 64, 64)``, or ``(64, 64, 3)`` with
    ``channel_first=False``.
    """

    engine = PACKAGE.replace("==", " ")
    known_class = ProcgenOptions
    methods: ClassVar = {"get_action_meanings": lambda options: list(MEANINGS)}
