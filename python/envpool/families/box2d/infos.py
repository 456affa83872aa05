"""Infos of the tasks of Box2D."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

INFOS: InfoTable = {
    "CarRacing": InfoRules(only_gymnasium=("lap_finished",), only_terminated=("lap_finished",))
}
