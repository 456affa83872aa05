"""EnvPool's interface to JAX, which is not implemented."""

from envpool.flavours.base import EnvPool


class XlaMixin:
    """What EnvPool's pools inherit from where JAX is installed. Pools here do not."""

    xla = EnvPool.xla


__all__ = ["XlaMixin"]
