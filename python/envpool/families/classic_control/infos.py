"""Infos of classic control: Gymnasium has none."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

INFOS: InfoTable = {"Acrobot": InfoRules(only_envpool=("state",))}
