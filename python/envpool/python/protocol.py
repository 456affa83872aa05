"""The types that EnvPool's clients use in their annotations."""

from envpool.flavours.base import EnvPoolMixin as EnvPool
from envpool.flavours.dm import DMEnvPool
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.spec.env_spec import ArraySpec, EnvSpec

__all__ = ["ArraySpec", "DMEnvPool", "EnvPool", "EnvSpec", "GymnasiumEnvPool"]
