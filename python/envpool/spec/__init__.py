"""What is known of a task without making it: options, spaces, arrays."""

from typing import TYPE_CHECKING, Any

from envpool.forks import import_module

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec

__all__ = ["EnvSpec"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The class, for type hints of functions that are there before NumPy is."""
        if name != "EnvSpec":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.env_spec").EnvSpec
