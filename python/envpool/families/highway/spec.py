"""DrivingEnvSpec and INFOS: what is known of a task of highway-env."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool.spec.env_spec import EnvSpec
from envpool.spec.infos import InfoRules, InfoTable


class DrivingEnvSpec(EnvSpec):
    """An :class:`EnvSpec` of a driving task."""


# Upstream's resets draw an action for their info, from a generator that has no seed.
_USUAL = InfoRules(only_gymnasium=("action",), only_steps=("action",))


def _crossing(options: Mapping[str, Any]) -> InfoRules:
    """Infos of several players have no action."""
    return InfoRules() if options["multi_agent"] else _USUAL


INFOS: InfoTable = {
    **dict.fromkeys(
        (
            *("Highway", "Merge", "MergeGeneric", "TwoWay", "UTurn", "Parking"),
            *("Roundabout", "RoundaboutGeneric"),
            *("Racetrack", "RacetrackLarge", "RacetrackOval"),
        ),
        _USUAL,
    ),
    "Exit": InfoRules(only_gymnasium=("action",), only_steps=("is_success", "action")),
    "Intersection": _crossing,
}
