"""Families: native libraries of environments, and the Python classes made from them."""

from __future__ import annotations

import importlib.util
import os
import pkgutil
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from envpool.errors import ArgumentError, did_you_mean, no_library
from envpool.flavours import flavour_of, pool_class, with_defaults
from envpool.tasks.registry import OURS, import_native, package_of

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
    """Where a native library is; raises ImportError if it is not there."""
    found = importlib.util.find_spec(library)
    if found is None or found.origin is None:
        raise ImportError(no_library(library))
    return found.origin


class _Exports(NamedTuple):
    """A family's classes, made when one of them is asked for; see :func:`lazy_export`.

    Attributes:
        module: The package that gets the classes.
        library: The native library, or what returns it.
        get_settings: Called before the library is loaded; returns its settings.
        spec_base: The name of the base class of the specs' classes.
        attributes: What these have beside.
        made: The specs' classes, once they are made, by their environments.
    """

    module: str
    library: str | Callable[[], str]
    get_settings: Callable[[], Mapping[str, Any]]
    spec_base: str
    attributes: dict[str, Any]
    made: dict[str, dict[str, Any]]

    def _get_library(self) -> str:
        return self.library if isinstance(self.library, str) else self.library()

    def _specs(self) -> dict[str, Any]:
        """The specs' classes. Threads that ask at the same time all get the first ones."""
        return self.made.get("") or self.made.setdefault("", self._make_specs())

    def _make_specs(self) -> dict[str, Any]:
        import_native("envpool._core")
        if isinstance(self.library, str):
            _file_of(self.library)  # or else the settings ask for what would not help
        settings = self.get_settings()
        base = pkgutil.resolve_name(self.spec_base)
        return {
            name: type(f"{name}EnvSpec", (base,), {"env_type": env_type, **self.attributes})
            for name, env_type in load(self._get_library(), settings).items()
        }

    def get_attribute(self, name: str) -> Any:
        """The package's ``__getattr__``."""
        if name == "__all__":
            return self._all_names()
        # Python asks for other names as well, such as a submodule's before it imports that.
        role = next((role for role in _ROLES if name.endswith(role)), None)
        missing = f"module {self.module!r} has no attribute {name!r}"
        if role is None:
            raise AttributeError(missing)
        environment, specs = name.removesuffix(role), self._specs()
        if environment not in specs:
            raise AttributeError(missing + self._why_not(environment, list(specs)))
        flavour = _ROLES[role]
        return pool_class(environment, self.module, flavour) if flavour else specs[environment]

    def _why_not(self, wanted: str, known: list[str]) -> str:
        ours = package_of(self.module) == OURS
        how = ".ci/rebuild" if ours else f"install {package_of(self.module)} again"
        return (
            f": the native library {self._get_library()} has no environment {wanted!r}, but "
            f"{', '.join(known)}{did_you_mean(wanted, known) or '.'} "
            f"If its C++ is new, rebuild it: {how}"
        )

    def names(self) -> list[str]:
        """The package's ``__dir__``."""
        return sorted({*vars(sys.modules[self.module]), *self._all_names()})

    def _all_names(self) -> list[str]:
        # Only what is there, because `from package import *` gets it all.
        has_dm_env = importlib.util.find_spec("dm_env") is not None
        roles = [role for role, flavour in _ROLES.items() if flavour != "dm" or has_dm_env]
        return [name + role for name in self._specs() for role in roles]


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
    exports = _Exports(module, library, get_settings, spec_base, attributes, {})
    return exports.get_attribute, exports.names


def make_from_spec(spec: EnvSpec, env_type: str, old_gym: bool | None, **kwargs: Any) -> Any:
    """See :meth:`EnvSpec.make`; a spec may come from another process, or another machine."""
    flavour = flavour_of(env_type, old_gym)
    kind = type(spec)
    changed = spec.changed(**with_defaults(flavour, kwargs))
    return pool_class(kind.__name__.removesuffix("EnvSpec"), kind.__module__, flavour)(changed)
