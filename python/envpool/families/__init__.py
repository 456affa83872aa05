"""The families of environments: each folder that has a module ``record``.

``import envpool`` registers the tasks of each family's module ``registration``.
"""

from importlib import import_module

from envpool.families.folders import names


def register() -> None:
    """Registers the tasks of all families."""
    for name in names():
        import_module(f"{__name__}.{name}.registration")
