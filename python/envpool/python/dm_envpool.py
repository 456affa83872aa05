"""The dm_env flavour."""

from envpool.dm_pool import DMEnvPool
from envpool.dm_pool import DMEnvPool as DMEnvPoolMixin

__all__ = ["DMEnvPool", "DMEnvPoolMixin"]
