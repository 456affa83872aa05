"""The families of environments: each folder that has a module ``record``.

``import envpool`` registers the tasks of each family's module ``registration``.
"""

from importlib import import_module
from pathlib import Path


def names() -> list[str]:
    """Returns the families' names, which are those of their folders."""
    return sorted(path.parent.name for here in __path__ for path in Path(here).glob("*/record.py"))


def register() -> None:
    """Registers the tasks of all families."""
    for name in names():
        import_module(f"{__name__}.{name}.registration")
