"""What all pools have in common."""

from envpool.pool import EnvPoolMixin

__all__ = ["EnvPoolMixin"]
