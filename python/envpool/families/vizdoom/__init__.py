"""ViZDoom's scenarios, on the engine in the package ``vizdoom``, of which nothing is imported."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from envpool.machine import installed_version
from envpool.tasks.export import lazy_export

VERSION = "1.3.2"  # that of pyproject.toml; what is known of its library holds for it alone


def _settings() -> dict[str, str]:
    """Where the package's library is, if it is installed.

    Raises:
        ImportError: It is another version.
    """
    package = importlib.util.find_spec("vizdoom")
    if package is None or not package.submodule_search_locations:
        return {}
    found = installed_version("vizdoom")
    if found != VERSION:
        raise ImportError(
            f"ViZDoom's tasks need vizdoom=={VERSION}, and {found} is installed: "
            'pip install "envpool-next[vizdoom]"'
        )
    folder = Path(next(iter(package.submodule_search_locations)))
    library = next(folder.glob("vizdoom.cpython-*.so"))
    launcher = Path(__file__).with_name("vizdoom_launcher")
    return {
        "library": str(library),
        "folder": str(folder),
        "maps": maps_folder(),
        "launcher": str(launcher),
    }


def maps_folder() -> str:
    """Where the package ``envpool-assets`` has scenarios; empty if it is not installed."""
    assets = importlib.util.find_spec("envpool_assets")
    folders = assets.submodule_search_locations if assets else None
    return str(Path(next(iter(folders)), "vizdoom/maps")) if folders else ""


__getattr__, __dir__ = lazy_export(
    "envpool.families.vizdoom._vizdoom",
    __name__,
    "envpool.families.vizdoom.spec:VizdoomEnvSpec",
    get_settings=_settings,
)
