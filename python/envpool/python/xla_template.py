"""How EnvPool makes a pool's functions for JAX, which is not implemented."""

from typing import NoReturn

from envpool.flavours.base import EnvPoolMixin


def make_xla(pool: EnvPoolMixin) -> NoReturn:
    """Refused, see :meth:`envpool.flavours.base.EnvPoolMixin.xla`."""
    pool.xla()


__all__ = ["make_xla"]
