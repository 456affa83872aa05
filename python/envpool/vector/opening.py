"""How vector environments get their pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from envpool.errors import EnvironmentFailure
from envpool.spec.autoreset import AutoresetMode
from envpool.vector.failures import raise_own_error
from envpool.workers.pool import PoolOptions, PythonPool


def open_pool(
    env_fns: Sequence[Callable[[], Any]], autoreset_mode: AutoresetMode, workers: dict[str, Any]
) -> PythonPool:
    """A synchronous pool whose results are to the letter those of Gymnasium's SyncVectorEnv.

    Args:
        env_fns: Makes the environments, one each.
        autoreset_mode: What follows the end of an episode.
        workers: How the environments are run, as :class:`PoolOptions` has it.

    Raises:
        ValueError: There are no environments, or an option is not what it must be.
        Exception: What one of ``env_fns`` raises.
    """
    options = PoolOptions(
        num_envs=len(env_fns),
        batch_size=len(env_fns),
        autoreset_mode=autoreset_mode,
        reward_dtype="float64",
        check_actions=False,
        raw_infos=True,
        **workers,
    )
    try:
        return PythonPool(env_fns, options)
    except EnvironmentFailure as failure:
        raise_own_error(failure)
