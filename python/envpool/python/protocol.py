"""The types that EnvPool's clients use in their annotations, and what else they import."""

from typing import Any

from envpool.flavours.base import EnvPool
from envpool.flavours.base import EnvPool as EnvPoolMixin
from envpool.flavours.dm import DMEnvPool
from envpool.flavours.dm import DMEnvPool as DMEnvPoolMixin
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.flavours.gymnasium import GymnasiumEnvPool as GymnasiumEnvPoolMixin
from envpool.spec.env_spec import EnvSpec
from envpool.spec.env_spec import EnvSpec as EnvSpecMixin
from envpool.spec.fields import ArraySpec, dm_spec, gymnasium_space
from envpool.tasks.export import export

__all__ = [
    "ArraySpec",
    "DMEnvPool",
    "DMEnvPoolMixin",
    "EnvPool",
    "EnvPoolMixin",
    "EnvSpec",
    "EnvSpecMixin",
    "GymnasiumEnvPool",
    "GymnasiumEnvPoolMixin",
    "XlaMixin",
    "dm_spec",
    "export",
    "gymnasium_space",
    "make_xla",
]


class XlaMixin:
    """The base of EnvPool's pools where JAX is installed. Pools here have xla() themselves."""

    def xla(self) -> Any:
        """See :meth:`envpool.flavours.base.EnvPool.xla`."""
        return EnvPool.xla(self)  # type: ignore[arg-type]


def make_xla(pool: EnvPool) -> tuple[Any, Any, Any]:
    """The first three of what :meth:`envpool.flavours.base.EnvPool.xla` returns."""
    handle, recv, send, _ = pool.xla()
    return handle, recv, send
