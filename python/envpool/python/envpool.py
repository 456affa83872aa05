"""What all pools have in common."""

from envpool.flavours.base import EnvPoolMixin

__all__ = ["EnvPoolMixin"]
