"""The types that annotations of functions need which are there before the native core is loaded.

They have EnvPool's names, too, for its clients, with what else these import.
"""

from typing import TYPE_CHECKING, Any

from envpool.late import late

if TYPE_CHECKING:
    from envpool.flavours.base import EnvPool
    from envpool.flavours.dm import DMEnvPool
    from envpool.flavours.gymnasium import GymnasiumEnvPool
    from envpool.spec.env_spec import EnvSpec

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
    "XlaMixin": "envpool.flavours.programs:ProgramMembers",
    "dm_spec": "envpool.spec.fields",
    "gymnasium_space": "envpool.spec.fields",
}
__all__ = ["DMEnvPool", "EnvSpec", "GymnasiumEnvPool", "make_xla", *_PLACES]  # noqa: PLE0604
if not TYPE_CHECKING:
    __getattr__ = late(__name__, _PLACES)


def make_xla(pool: "EnvPool") -> tuple[Any, Any, Any]:
    """The first three of what :meth:`envpool.flavours.base.EnvPool.xla` returns."""
    handle, recv, send, _ = pool.xla()
    return handle, recv, send
