"""Module paths of EnvPool that its clients import: they are one module, and all lives elsewhere."""

import sys

from envpool.python import protocol

api = data = dm_envpool = env_spec = envpool = gymnasium_envpool = lax = xla_template = protocol

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

for _name in __all__:
    sys.modules[f"{__name__}.{_name}"] = protocol
