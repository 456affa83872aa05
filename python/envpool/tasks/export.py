"""Families: native libraries of environments, and the Python classes made from them."""

from __future__ import annotations

import functools
import importlib.util
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from envpool.errors import ArgumentError

if TYPE_CHECKING:
    from envpool import _core
    from envpool.spec.env_spec import EnvSpec

# What the names of a family's classes end with.
_ROLES = ("EnvSpec", "GymnasiumEnvPool", "DMEnvPool")
_exporting = threading.RLock()


def load(library: str, settings: Mapping[str, Any] | None = None) -> dict[str, _core.EnvType]:
    """The environments of a native library.

    Args:
        library: Its dotted module name, such as ``envpool.families.toy_text._toy_text``. It is
            looked up like a module but never imported, so it needs no Python in it.
        settings: What the library cannot find out by itself; it says which there are. They count
            for the whole process.

    Raises:
        ImportError: There is no such library, or it does not load.
        KeyError: The library has no setting of a name.
        TypeError: A setting has another type.
    """
    from envpool import _core  # only for those who make pools, because it loads NumPy

    found = importlib.util.find_spec(library)
    if found is None or found.origin is None:
        raise ImportError(f"the native library {library} is not installed")
    try:
        return _core.load_family(found.origin, dict(settings or {}))
    except ArgumentError:  # one of the settings, not the library
        raise
    except RuntimeError as error:
        raise ImportError(f"the native library {library} does not load: {error}") from error


def export(
    library: str,
    module: str,
    spec_base: type[EnvSpec] | None = None,
    drawing: str | None = None,
    infos: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Makes the classes of all environments of a library.

    A package that does ``globals().update(export("package._library", __name__))`` has them as soon
    as it is imported; see :func:`lazy_export` for later.

    Args:
        library: The native library, see :func:`load`.
        module: The module that gets the classes, for their ``__module__``.
        spec_base: What the specs' classes are to be derived from, if not from EnvSpec itself.
        drawing: The dotted name of the module that draws those of the environments that don't draw
            themselves; see :mod:`envpool.render.drawing`.
        infos: The dotted name of the module that has the rules about infos; see
            :mod:`envpool.spec.infos`.
        settings: See :func:`load`.

    Returns:
        For an environment named X: ``XEnvSpec``, ``XGymnasiumEnvPool`` and ``XDMEnvPool``.
    """
    # Here for the same reason as in load.
    import dm_env
    import gymnasium

    from envpool.flavours.dm import DMEnvPool
    from envpool.flavours.gymnasium import GymnasiumEnvPool
    from envpool.spec.env_spec import EnvSpec

    # Clients look among the direct bases for what they know.
    gymnasium_bases = (GymnasiumEnvPool, gymnasium.vector.VectorEnv, gymnasium.Env)
    dm_bases = (DMEnvPool, dm_env.Environment)
    base = spec_base or EnvSpec
    classes: dict[str, Any] = {}
    for name, env_type in load(library, settings).items():
        attributes = {"env_type": env_type, "drawing": drawing, "infos_module": infos}
        classes |= {
            f"{name}EnvSpec": type(f"{name}EnvSpec", (base,), attributes),
            f"{name}GymnasiumEnvPool": type(f"{name}GymnasiumEnvPool", gymnasium_bases, {}),
            f"{name}DMEnvPool": type(f"{name}DMEnvPool", dm_bases, {}),
        }
    for made in classes.values():
        made.__module__ = module
    return classes


def lazy_export(
    library: str,
    module: str,
    get_spec_base: Callable[[], type[EnvSpec] | None] | None = None,
    drawing: str | None = None,
    infos: str | None = None,
    get_settings: Callable[[], Mapping[str, Any]] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The classes of :func:`export`, made when one of them is asked for.

    A family's package does ``__getattr__, __dir__ = lazy_export("package._library", __name__)``, so
    that its ``registration`` can be imported without NumPy and without the library.

    Args:
        library: The native library, see :func:`load`.
        module: The package that gets the classes.
        get_spec_base: Returns what :func:`export` takes as ``spec_base``, or None.
        drawing: See :func:`export`.
        infos: See :func:`export`.
        get_settings: Called before the library is loaded, so it can also see to what that needs.
            Returns what :func:`load` takes as ``settings``.

    Returns:
        The package's ``__getattr__`` and ``__dir__``.
    """

    @functools.cache
    def classes() -> dict[str, Any]:
        settings = get_settings() if get_settings else None
        spec_base = get_spec_base() if get_spec_base else None
        return export(library, module, spec_base, drawing, infos, settings)

    def get_attribute(name: str) -> Any:
        # Python asks for other names as well, such as a submodule's before it imports that.
        if name == "__all__" or name.endswith(_ROLES):
            with _exporting:  # threads must get the same classes
                made = classes()
            if name == "__all__":
                return list(made)
            if name in made:
                return made[name]
            raise AttributeError(
                f"module {module!r} has no attribute {name!r}: the native library {library} has no "
                "such environment. If its C++ is new, rebuild it: .ci/rebuild"
            )
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    def names() -> list[str]:
        return sorted({*vars(sys.modules[module]), *get_attribute("__all__")})

    return get_attribute, names
