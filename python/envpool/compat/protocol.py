"""The types that EnvPool's clients use in their annotations, and what else they import."""

from typing import TYPE_CHECKING, Any

from envpool.late import late

if TYPE_CHECKING:
    from envpool.flavours.base import EnvPool

_PLACES = {
    "ArraySpec": "envpool.compat.spec_names",
    "DMEnvPool": "envpool.flavours.dm",
    "DMEnvPoolMixin": "envpool.flavours.dm:DMEnvPool",
    "EnvPool": "envpool.flavours.base",
    "EnvPoolMixin": "envpool.flavours.base:EnvPool",
    "EnvSpec": "envpool.spec.env_spec",
    "EnvSpecMixin": "envpool.spec.env_spec:EnvSpec",
    "GymnasiumEnvPool": "envpool.flavours.gymnasium",
    "GymnasiumEnvPoolMixin": "envpool.flavours.gymnasium:GymnasiumEnvPool",
    "dm_spec": "envpool.spec.fields",
    "gymnasium_space": "envpool.spec.fields",
}
__all__ = ["XlaMixin", "make_xla", *_PLACES]  # noqa: PLE0604 - names
__getattr__ = late(__name__, _PLACES)


class XlaMixin:
    """The base of EnvPool's pools where JAX is installed. Pools here have xla() themselves."""

    def xla(self) -> Any:
        """See :meth:`envpool.flavours.base.EnvPool.xla`."""
        from envpool.flavours.base import EnvPool

        return EnvPool.xla(self)  # type: ignore[arg-type]


def make_xla(pool: "EnvPool") -> tuple[Any, Any, Any]:
    """The first three of what :meth:`envpool.flavours.base.EnvPool.xla` returns."""
    handle, recv, send, _ = pool.xla()
    return handle, recv, send
