"""Environments that one object steps as a batch: in NumPy, by Gymnasium, compiled by JAX.

:func:`envpool.make_batched` makes pools of them. An environment of one's own in JAX is a
:class:`JaxEnv`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from envpool.late import late

if TYPE_CHECKING:
    from envpool.batched.jax_batch import JaxEnv

__all__ = ["JaxEnv"]

# Who imports envpool looks for ids here, and need not import all the rest.
__getattr__ = late(__name__, {"JaxEnv": "envpool.batched.jax_batch"})
