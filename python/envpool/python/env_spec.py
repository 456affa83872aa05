"""The spec of a task."""

from envpool.spec.env_spec import EnvSpec
from envpool.spec.env_spec import EnvSpec as EnvSpecMixin

__all__ = ["EnvSpec", "EnvSpecMixin"]
