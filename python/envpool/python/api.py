"""How a family's classes are made."""

from envpool.tasks.export import export

__all__ = ["export"]
