"""The types that EnvPool's clients use in their annotations."""

from envpool.dm_pool import DMEnvPool
from envpool.gymnasium_pool import GymnasiumEnvPool
from envpool.pool import EnvPoolMixin as EnvPool
from envpool.spec import ArraySpec, EnvSpec

__all__ = ["ArraySpec", "DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool"]
