"""How EnvPool makes a pool's functions for JAX, which is not implemented."""

from typing import NoReturn

from envpool.pool import EnvPoolMixin


def make_xla(pool: EnvPoolMixin) -> NoReturn:
    """Refused, see :meth:`envpool.pool.EnvPoolMixin.xla`."""
    pool.xla()


__all__ = ["make_xla"]
