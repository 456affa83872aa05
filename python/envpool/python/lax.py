"""EnvPool's interface to JAX, which is not implemented."""

from envpool.flavours.base import EnvPoolMixin


class XlaMixin:
    """What EnvPool's pools inherit from where JAX is installed. Pools here do not."""

    xla = EnvPoolMixin.xla


__all__ = ["XlaMixin"]
