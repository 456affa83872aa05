"""Module paths of EnvPool that its clients import. Everything here lives elsewhere."""

from envpool.python import (
    api,
    data,
    dm_envpool,
    env_spec,
    envpool,
    gymnasium_envpool,
    lax,
    protocol,
    xla_template,
)

__all__ = [
    "api",
    "data",
    "dm_envpool",
    "env_spec",
    "envpool",
    "gymnasium_envpool",
    "lax",
    "protocol",
    "xla_template",
]
