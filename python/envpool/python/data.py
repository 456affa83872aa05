"""Arrays as spaces and specs."""

from envpool.spec.env_spec import ArraySpec
from envpool.spec.spaces import dm_spec, gymnasium_space

__all__ = ["ArraySpec", "dm_spec", "gymnasium_space"]
