"""Driving tasks: highways, merges, roundabouts, parking and others, as highway-env has them."""

from __future__ import annotations

import sys
from typing import Any

from envpool.tasks.export import lazy_export


def _settings() -> dict[str, Any]:
    from envpool.families.numerics import numpy_pair_products, numpy_settings

    return {
        **numpy_settings(),
        **{f"pair_{kernel}": way for kernel, way in numpy_pair_products().items()},
        "sums_floats_exactly": sys.version_info >= (3, 12),
    }


__getattr__, __dir__ = lazy_export(
    "envpool.families.highway._highway",
    __name__,
    "envpool.families.highway.spec:DrivingEnvSpec",
    drawing="envpool.families.highway.drawing",
    infos="envpool.families.highway.spec",
    get_settings=_settings,
)
