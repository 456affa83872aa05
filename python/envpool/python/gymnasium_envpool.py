"""The Gymnasium flavour."""

from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.flavours.gymnasium import GymnasiumEnvPool as GymnasiumEnvPoolMixin

__all__ = ["GymnasiumEnvPool", "GymnasiumEnvPoolMixin"]
