"""Specs: options, spaces and arrays of a task, known without making it."""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec

__all__ = ["BASE_PATH", "EnvSpec"]

BASE_PATH = str(Path(__file__).parents[1])  # the installed package's folder

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The class, for type hints of functions that are there before NumPy is."""
        if name != "EnvSpec":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return importlib.import_module(f"{__name__}.env_spec").EnvSpec
