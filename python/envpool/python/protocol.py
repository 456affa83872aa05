"""The types that EnvPool's clients use in their annotations."""

from envpool.flavours.base import EnvPool
from envpool.flavours.dm import DMEnvPool
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.spec.arrays import ArraySpec
from envpool.spec.env_spec import EnvSpec

__all__ = ["ArraySpec", "DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool"]
