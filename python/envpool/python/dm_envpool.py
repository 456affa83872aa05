"""The dm_env flavour."""

from envpool.flavours.dm import DMEnvPool
from envpool.flavours.dm import DMEnvPool as DMEnvPoolMixin

__all__ = ["DMEnvPool", "DMEnvPoolMixin"]
