"""Driving tasks: highways, merges, roundabouts, parking and others, as highway-env has them."""

from __future__ import annotations

from typing import Any

from envpool.tasks.export import lazy_export


def _settings() -> dict[str, Any]:
    from envpool.families.highway.settings import load_settings

    return load_settings()


__getattr__, __dir__ = lazy_export(
    "envpool.families.highway._highway",
    __name__,
    "envpool.families.highway.spec:DrivingEnvSpec",
    drawing="envpool.families.highway.drawing",
    infos="envpool.families.highway.spec",
    get_settings=_settings,
)
