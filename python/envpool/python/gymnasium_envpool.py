"""The Gymnasium flavour."""

from envpool.gymnasium_pool import GymnasiumEnvPool
from envpool.gymnasium_pool import GymnasiumEnvPool as GymnasiumEnvPoolMixin

__all__ = ["GymnasiumEnvPool", "GymnasiumEnvPoolMixin"]
