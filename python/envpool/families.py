"""Families: native libraries of environments, and the Python classes made from them."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

from envpool import _core


@functools.cache
def load(library: str) -> dict[str, _core.EnvType]:
    """The environments of a native library.

    Args:
        library: Its dotted module name, such as ``envpool.classic_control._classic_control``. It is
            looked up like a module but never imported, so it needs no Python in it.

    Raises:
        ImportError: There is no such library, or it does not load.
    """
    found = importlib.util.find_spec(library)
    if found is None or found.origin is None:
        raise ImportError(f"the native library {library} is not installed")
    try:
        return _core.load_family(found.origin)
    except RuntimeError as error:
        raise ImportError(f"the native library {library} does not load: {error}") from error


def export(library: str, module: str) -> dict[str, Any]:
    """Makes the classes of all environments of a library.

    A family's package does ``globals().update(export("package._library", __name__))``.

    Args:
        library: The native library, see :func:`load`.
        module: The module that gets the classes, for their ``__module__``.

    Returns:
        For an environment named X: ``XEnvSpec``, ``XGymnasiumEnvPool`` and ``XDMEnvPool``.
    """
    # Here, because only those who make pools need these packages.
    from envpool.dm_pool import DMEnvPool
    from envpool.gymnasium_pool import GymnasiumEnvPool
    from envpool.spec import EnvSpec

    classes: dict[str, Any] = {}
    for name, env_type in load(library).items():
        classes |= {
            f"{name}EnvSpec": type(f"{name}EnvSpec", (EnvSpec,), {"env_type": env_type}),
            f"{name}GymnasiumEnvPool": type(f"{name}GymnasiumEnvPool", (GymnasiumEnvPool,), {}),
            f"{name}DMEnvPool": type(f"{name}DMEnvPool", (DMEnvPool,), {}),
        }
    for made in classes.values():
        made.__module__ = module
    return classes
