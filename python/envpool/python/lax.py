"""EnvPool's interface to JAX."""

from typing import Any

from envpool.flavours.base import EnvPool


class XlaMixin:
    """What EnvPool's pools inherit from where JAX is installed. Pools here have it themselves."""

    def xla(self) -> Any:
        """See :meth:`envpool.flavours.base.EnvPool.xla`."""
        return EnvPool.xla(self)  # type: ignore[arg-type]


__all__ = ["XlaMixin"]
