"""Environments that one object steps as a batch: in NumPy, by Gymnasium, compiled by JAX.

:func:`envpool.make_batched` makes pools of them. An environment of one's own in JAX is a
:class:`JaxEnv`.
"""

from envpool.batched.jax_batch import JaxEnv

__all__ = ["JaxEnv"]
