"""The spec of a task."""

from envpool.spec import EnvSpec
from envpool.spec import EnvSpec as EnvSpecMixin

__all__ = ["EnvSpec", "EnvSpecMixin"]
