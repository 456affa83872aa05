"""Families: native libraries of environments, and the Python classes made from them."""

from __future__ import annotations

import importlib.util
import os
import pkgutil
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from envpool.errors import ArgumentError, did_you_mean, no_library
from envpool.flavours import flavour_of, pool_class, with_defaults
from envpool.machine import require_whole
from envpool.tasks.registry import import_native

if TYPE_CHECKING:
    from envpool import _core
    from envpool.spec.env_spec import EnvSpec

# What the names of a family's classes end with, and the APIs of those that are pools.
_ROLES = {"EnvSpec": "", "GymnasiumEnvPool": "gymnasium", "DMEnvPool": "dm"}


def load(library: str, settings: Mapping[str, Any] | None = None) -> dict[str, _core.EnvType]:
    """The environments of a native library.

    Args:
        library: Its dotted module name, such as ``envpool.families.toy_text._toy_text``. It is
            looked up like a module but never imported, so it need not use Python.
        settings: What the library cannot find out by itself; it declares their names. Those that
            are texts are paths. They apply to the whole process.

    Raises:
        ImportError: There is no such library, or it does not load.
        KeyError: The library has no setting of that name.
        TypeError: A setting has another type.
    """
    from envpool import _core  # only for those who make pools

    # A path may have bytes that are no UTF-8.
    path = os.fsencode(_file_of(library))
    given = {
        name: os.fsencode(value) if isinstance(value, str) else value
        for name, value in (settings or {}).items()
    }
    try:
        return _core.load_family(path, given)
    except ArgumentError:  # one of the settings, not the library
        raise
    except RuntimeError as error:
        raise ImportError(f"the native library {library} does not load: {error}") from error


def _file_of(library: str) -> str:
    """Where a native library is; raises ImportError if it is not there, or cut off."""
    found = importlib.util.find_spec(library)
    if found is None or found.origin is None:
        raise ImportError(no_library(library))
    require_whole(found.origin)
    return found.origin


def lazy_export(
    library: str | Callable[[], str],
    module: str,
    spec_base: str = "envpool.spec.env_spec:EnvSpec",
    drawing: str | None = None,
    infos: str | None = None,
    get_settings: Callable[[], Mapping[str, Any]] = dict,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The classes of a native library's environments, made when one of them is asked for.

    A family's package does ``__getattr__, __dir__ = lazy_export("package._library", __name__)``, so
    that its ``registration`` can be imported without the native core and the library. For an
    environment named X it then has ``XEnvSpec``, ``XGymnasiumEnvPool`` and ``XDMEnvPool``.

    Args:
        library: The native library, see :func:`load`; or a function that returns it, called after
            ``get_settings``.
        module: The package that gets the classes, for their ``__module__``.
        spec_base: The base class of the specs' classes, as ``"package.module:Class"``.
        drawing: The dotted name of the module that draws the environments that don't draw
            themselves; see :mod:`envpool.render.drawing`.
        infos: The dotted name of the module that has the rules for infos; see
            :mod:`envpool.spec.infos`.
        get_settings: Called before the library is loaded, so it can also prepare for that. Returns
            what :func:`load` takes as ``settings``.

    Returns:
        The package's ``__getattr__`` and ``__dir__``.
    """
    attributes = {
        "drawing": drawing,
        "infos_module": infos,
        "make_pool": staticmethod(make_from_spec),
        "__module__": module,
    }
    made: dict[str, dict[str, Any]] = {}  # the specs' classes by their environments, once made

    def find_library() -> str:
        return library if isinstance(library, str) else library()

    def make_specs() -> dict[str, Any]:
        import_native("envpool._core")
        if isinstance(library, str):
            _file_of(library)  # or else the settings ask for what would not help
        settings = get_settings()
        base = pkgutil.resolve_name(spec_base)
        return {
            name: type(f"{name}EnvSpec", (base,), {"env_type": env_type, **attributes})
            for name, env_type in load(find_library(), settings).items()
        }

    def specs() -> dict[str, Any]:
        # Threads that ask at the same time all get the first ones.
        return made.get(module) or made.setdefault(module, make_specs())

    def names() -> list[str]:
        # Only what is there, because `from package import *` gets it all.
        has_dm_env = importlib.util.find_spec("dm_env") is not None
        roles = [role for role, flavour in _ROLES.items() if flavour != "dm" or has_dm_env]
        return [name + role for name in specs() for role in roles]

    def get_attribute(name: str) -> Any:
        if name == "__all__":
            return names()
        # Python asks for other names as well, such as a submodule's before it imports that.
        role = next((role for role in _ROLES if name.endswith(role)), None)
        missing = f"module {module!r} has no attribute {name!r}"
        if role is None:
            raise AttributeError(missing)
        environment, known = name.removesuffix(role), specs()
        if environment not in known:
            raise AttributeError(
                f"{missing}: the native library {find_library()} has no environment "
                f"{environment!r}, but {', '.join(known)}{did_you_mean(environment, known) or '.'} "
                "If its C++ is new, build it again"
            )
        flavour = _ROLES[role]
        return pool_class(environment, module, flavour) if flavour else known[environment]

    return get_attribute, lambda: sorted({*vars(sys.modules[module]), *names()})


def make_from_spec(spec: EnvSpec, env_type: str, old_gym: bool | None, **kwargs: Any) -> Any:
    """See :meth:`EnvSpec.make`; a spec may come from another process, or another machine."""
    flavour = flavour_of(env_type, old_gym)
    kind = type(spec)
    changed = spec.changed(**with_defaults(flavour, kwargs))
    return pool_class(kind.__name__.removesuffix("EnvSpec"), kind.__module__, flavour)(changed)
