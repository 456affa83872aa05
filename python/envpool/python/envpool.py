"""What all pools have in common."""

from envpool.flavours.base import EnvPool as EnvPoolMixin

__all__ = ["EnvPoolMixin"]
