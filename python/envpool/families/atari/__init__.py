"""Atari's games, on an emulator of our own that equals the Arcade Learning Environment's.

The ROMs come with the package ``ale-py``, or from the folder in ALE_ROMS_DIR.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from envpool.spec.infos import InfoRules, InfoTable
from envpool.tasks.export import lazy_export

_LIBRARY = "envpool.families.atari._atari"
# EnvPool and Gymnasium have only ``lives`` in common, in other types.
INFOS: InfoTable = {
    "Atari": InfoRules(
        only_envpool=("lives", "reward", "terminated", "ram"),
        only_gymnasium=("lives_int64", "episode_frame_number", "frame_number"),
        renamed={"lives_int64": "lives"},
    )
}


def _settings() -> dict[str, str]:
    """The folder of the ROMs, if ``ale-py`` is installed."""
    package = importlib.util.find_spec("ale_py")
    if package is None or not package.submodule_search_locations:
        return {}
    return {"rom_folder": str(Path(next(iter(package.submodule_search_locations))) / "roms")}


__getattr__, __dir__ = lazy_export(
    _LIBRARY,
    __name__,
    "envpool.families.atari.spec:AtariEnvSpec",
    infos=__name__,
    get_settings=_settings,
)
