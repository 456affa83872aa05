"""Atari's games, on an emulator of our own that equals the Arcade Learning Environment's.

The ROMs come with the package ``ale-py``, or from the folder in ALE_ROMS_DIR.
"""

from __future__ import annotations

from pathlib import Path

from envpool.errors import install
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


def require_roms() -> Path:
    """Finds the ROMs that come with ``ale-py``.

    Returns:
        Their folder.

    Raises:
        ImportError: The package is not installed.
    """
    from envpool.machine import folder_of

    folder = folder_of("ale_py")
    if folder is None:
        raise ImportError(f"Atari's ROMs are in ale-py, which is not installed: {install('atari')}")
    return folder / "roms"


def _settings() -> dict[str, str]:
    """The folder of the ROMs, if ``ale-py`` is installed."""
    try:
        return {"rom_folder": str(require_roms())}
    except ImportError:  # they may be elsewhere
        return {}


__getattr__, __dir__ = lazy_export(
    _LIBRARY,
    __name__,
    "envpool.families.atari.spec:AtariEnvSpec",
    infos=__name__,
    get_settings=_settings,
)
