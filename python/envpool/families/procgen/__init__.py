"""Procgen's games, on Procgen's own engine, which ``python -m envpool fetch procgen`` gets."""

from __future__ import annotations

from envpool.tasks.export import lazy_export


def _settings() -> dict[str, str]:
    from envpool.families.procgen.engine import checked_folder

    return {"data_folder": str(checked_folder())}


__getattr__, __dir__ = lazy_export(
    "envpool.families.procgen._procgen",
    __name__,
    "envpool.families.procgen.spec:ProcgenEnvSpec",
    get_settings=_settings,
)
