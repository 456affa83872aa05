"""How EnvPool makes a pool's functions for JAX."""

from typing import Any

from envpool.flavours.base import EnvPool


def make_xla(pool: EnvPool) -> tuple[Any, Any, Any]:
    """The first three of what :meth:`envpool.flavours.base.EnvPool.xla` returns."""
    handle, recv, send, _ = pool.xla()
    return handle, recv, send


__all__ = ["make_xla"]
