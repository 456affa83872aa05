"""Atari's games, run by the Arcade Learning Environment.

The native library is linked with ALE and so, as a binary, under the GPL, version 2. The ROMs come
with the package ``ale-py``, or from the folder in ALE_ROMS_DIR.
"""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path

from envpool.tasks.export import lazy_export

_LIBRARY = "envpool.families.atari._atari"


def _set_rom_folder() -> None:
    """Tells the native library where ROMs are, if ``ale-py`` is installed.

    Raises:
        ImportError: This installation was built without the library.
    """
    library = importlib.util.find_spec(_LIBRARY)
    if library is None or library.origin is None:
        raise ImportError("envpool was built without Atari's games (ENVPOOL_ATARI=OFF)")
    package = importlib.util.find_spec("ale_py")
    if package is not None and package.submodule_search_locations:
        folder = Path(next(iter(package.submodule_search_locations))) / "roms"
        ctypes.CDLL(library.origin).envpool_atari_set_rom_folder(str(folder).encode())


__getattr__, __dir__ = lazy_export(
    _LIBRARY, __name__, _set_rom_folder, infos="envpool.families.atari.infos"
)
