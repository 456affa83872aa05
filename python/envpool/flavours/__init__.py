"""The APIs that pools speak."""

from typing import TYPE_CHECKING, Any

from envpool.forks import import_module

if TYPE_CHECKING:
    from envpool.flavours.dm import DMEnvPool
    from envpool.flavours.gymnasium import GymnasiumEnvPool

__all__ = ["DMEnvPool", "GymnasiumEnvPool"]

_MODULES = {"DMEnvPool": "dm", "GymnasiumEnvPool": "gymnasium"}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The class, for type hints of functions that are there before NumPy is."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
