"""Arrays as spaces and specs."""

from envpool.spaces import dm_spec, gymnasium_space
from envpool.spec import ArraySpec

__all__ = ["ArraySpec", "dm_spec", "gymnasium_space"]
