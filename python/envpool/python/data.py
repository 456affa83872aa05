"""Arrays as spaces and specs."""

from envpool.spec.arrays import ArraySpec
from envpool.spec.dm import dm_spec
from envpool.spec.spaces import gymnasium_space

__all__ = ["ArraySpec", "dm_spec", "gymnasium_space"]
