"""How a family's classes are made."""

from envpool.families import export

__all__ = ["export"]
