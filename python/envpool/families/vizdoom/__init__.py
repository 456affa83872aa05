"""ViZDoom's scenarios, on the engine in the package ``vizdoom``, of which nothing is imported."""

from __future__ import annotations

from pathlib import Path

from envpool.errors import install
from envpool.tasks.export import lazy_export

VERSION = "1.3.2"  # that of pyproject.toml; what is known of its library holds for it alone


def load_settings() -> dict[str, str]:
    """Finds the package, its library and maps.

    Returns:
        The settings of the library of ViZDoom's tasks.

    Raises:
        ImportError: The package is not installed, or has another version.
    """
    import sysconfig

    from envpool.machine import require_folder

    folder = require_folder("vizdoom", VERSION, "ViZDoom's", install("vizdoom"))
    return {
        "library": str(folder / f"vizdoom{sysconfig.get_config_var('EXT_SUFFIX')}"),
        "folder": str(folder),
        "maps": maps_folder(),
        "launcher": str(Path(__file__).with_name("vizdoom_launcher")),
    }


def maps_folder() -> str:
    """Where the package ``envpool-assets`` has scenarios; empty if it is not installed."""
    from envpool.machine import folder_of

    folder = folder_of("envpool_assets")
    return str(folder / "vizdoom" / "maps") if folder else ""


__getattr__, __dir__ = lazy_export(
    "envpool.families.vizdoom._vizdoom",
    __name__,
    "envpool.families.vizdoom.spec:VizdoomEnvSpec",
    get_settings=load_settings,
)
