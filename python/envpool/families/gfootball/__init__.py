"""Google Research Football, whose engine is built into envpool where that was asked for."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from envpool.tasks.export import lazy_export

LIBRARY = "envpool.families.gfootball._gfootball"
# Its engine takes minutes to compile.
MISSING = (
    "this envpool was built without Google Research Football (docs/football.md). In a checkout, "
    "with Boost's headers, this builds it: ENVPOOL_FOOTBALL=ON pip install ."
)


def load_settings() -> dict[str, str]:
    """Finds the library and the engine's data.

    Returns:
        The settings of the library.

    Raises:
        ImportError: envpool was built without them.
    """
    if importlib.util.find_spec(LIBRARY) is None:
        raise ImportError(MISSING)
    return {"data_folder": str(Path(__file__).with_name("data"))}


__getattr__, __dir__ = lazy_export(
    lambda: LIBRARY,
    __name__,
    "envpool.families.gfootball.spec:GfootballEnvSpec",
    get_settings=load_settings,
)
