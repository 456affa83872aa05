"""EnvPool's module paths: they are other names of modules of ours, which clients import."""

import sys

from envpool.compat import protocol

_PROTOCOL = (
    *("api", "data", "dm_envpool", "env_spec", "envpool", "gymnasium_envpool", "lax", "protocol"),
    "xla_template",
)
# The beginning of our modules' names, with EnvPool's. It has its families beside its registry, and
# some of them elsewhere.
_PATHS = (
    ("envpool.families.", "envpool."),
    ("envpool.families.dm_control", "envpool.mujoco.dmc"),
    ("envpool.families.metaworld", "envpool.mujoco.metaworld"),
    ("envpool.families.robotics", "envpool.mujoco.robotics"),
    ("envpool.tasks.registration", "envpool.registration"),
    (protocol.__name__, "envpool.python"),
    *((protocol.__name__, f"envpool.python.{name}") for name in _PROTOCOL),
)


def add_paths() -> None:
    """Makes the modules that are loaded known by EnvPool's names, too."""
    for ours, theirs in _PATHS:
        for name in [name for name in sys.modules if name.startswith(ours)]:
            other = theirs + name.removeprefix(ours)
            parent, _, last = other.rpartition(".")
            sys.modules[other] = sys.modules[name]
            setattr(sys.modules[parent], last, sys.modules[name])
