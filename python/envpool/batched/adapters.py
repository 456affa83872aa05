"""Turns a class, a function, an environment or its id into an object that steps a batch."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from typing import Any

from gymnasium.vector import VectorEnv

from envpool.batched.ids import PACKAGES
from envpool.batched.jax_batch import JaxBatch, JaxEnv
from envpool.batched.vector_env import VectorEnvBatch
from envpool.errors import ArgumentError, did_you_mean, shown

# The base classes of packages' environments, and our classes that adapt them.
_OF_PACKAGES = {
    "pgx.core:Env": "pgx_env:PgxEnv",
    "jumanji.env:Environment": "jumanji_env:JumanjiEnv",
    "gymnax.environments.environment:Environment": "gymnax_env:GymnaxEnv",
    "brax.envs.base:Env": "brax_env:BraxEnv",
    "mujoco_playground._src.mjx_env:MjxEnv": "brax_env:BraxEnv",
    "jaxmarl.environments.multi_agent_env:MultiAgentEnv": "jaxmarl_env:JaxmarlEnv",
    "craftax.environment_base.environment_bases:EnvironmentNoAutoReset": "gymnax_env:GymnaxEnv",
}


def adapt(source: Any, num_envs: int, batch_size: int, kwargs: Mapping[str, Any]) -> Any:
    """Makes an object that steps a batch; see :class:`envpool.batched.group.Batch`.

    Args:
        source: See :func:`envpool.make_batched`.
        num_envs: How many environments it is to have.
        batch_size: How many are stepped together at most.
        kwargs: What the source is called with beside ``num_envs``.

    Raises:
        TypeError: The source makes nothing.
        ArgumentError: What it makes cannot be stepped as a batch.
        ImportError: A package is not installed.
    """
    made = _made(source, num_envs, kwargs)
    if isinstance(made, VectorEnv):
        return VectorEnvBatch(made, num_envs)
    if (adapter := _adapter_of(made)) is not None:
        made = pkgutil.resolve_name(f"envpool.batched.{adapter}")(made)
    return JaxBatch(made, num_envs, batch_size) if isinstance(made, JaxEnv) else made


def _made(source: Any, num_envs: int, kwargs: Mapping[str, Any]) -> Any:
    if isinstance(source, str):
        return _of_id(source, kwargs)
    if isinstance(source, JaxEnv) or _adapter_of(source) is not None:
        return source
    if not callable(source):
        raise TypeError(
            f"the source is {shown(source)}, expected a function of num_envs that makes what steps "
            "a batch, an environment of JAX, or its id"
        )
    if isinstance(source, type) and issubclass(source, JaxEnv):
        return source(**kwargs)
    return source(num_envs, **kwargs)


def _of_id(name: str, kwargs: Mapping[str, Any]) -> Any:
    """An environment of a package, by an id such as ``"pgx:go_9x9"``."""
    package, _, task = name.partition(":")
    if package not in PACKAGES:
        raise ArgumentError(
            f"the source is {shown(name)}, expected an id such as 'pgx:go_9x9', of one of "
            f"{', '.join(PACKAGES)}{did_you_mean(package, PACKAGES)}"
        )
    make = pkgutil.resolve_name(f"envpool.batched.{PACKAGES[package][0]}:make_{package}")
    return make(task, **kwargs)


def _adapter_of(environment: Any) -> str | None:
    """Our class for environments of a package; None if it is of none, or has no adapter."""
    names = [f"{kind.__module__}:{kind.__qualname__}" for kind in type(environment).__mro__]
    return next((_OF_PACKAGES[name] for name in names if name in _OF_PACKAGES), None)
