"""Infos of the environments for tests."""

from __future__ import annotations

from envpool.spec.infos import InfoRules, InfoTable

INFOS: InfoTable = {"Lives": InfoRules(only_envpool=("life",), only_gymnasium=("game",))}
