"""How EnvPool makes a pool's functions for JAX, which is not implemented."""

from typing import NoReturn

from envpool.flavours.base import EnvPool


def make_xla(pool: EnvPool) -> NoReturn:
    """Refused, see :meth:`envpool.flavours.base.EnvPool.xla`."""
    pool.xla()


__all__ = ["make_xla"]
