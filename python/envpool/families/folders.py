"""Which families there are: those of the folders that have a module ``record``."""

from pathlib import Path


def names() -> list[str]:
    """Returns the families' names, which are those of their folders."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/record.py"))
