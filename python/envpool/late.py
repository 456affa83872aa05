"""Attributes of modules that are imported when somebody asks for one of them."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def late(module: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Returns the ``__getattr__`` of a module, some of whose names stand in other modules.

    Type checkers would take any name for one of the module's if they saw a ``__getattr__``.

    Args:
        module: The module's name.
        places: By name the module that has it, with another name for it behind a colon.
    """

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        place, _, other = places[name].partition(":")
        value = getattr(importlib.import_module(place), other or name)
        setattr(sys.modules[module], name, value)  # from then on Python finds it itself
        return value

    return get
