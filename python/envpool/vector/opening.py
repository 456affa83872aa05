"""How vector environments get their pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from envpool.spec.autoreset import AutoresetMode
from envpool.workers.pool import PoolOptions, PythonPool


def open_pool(
    env_fns: Sequence[Callable[[], Any]], autoreset_mode: AutoresetMode, workers: dict[str, Any]
) -> PythonPool:
    """A synchronous pool whose results are to the letter those of Gymnasium's SyncVectorEnv."""
    options = PoolOptions(
        num_envs=len(env_fns),
        batch_size=len(env_fns),
        autoreset_mode=autoreset_mode.value,
        reward_dtype="float64",
        check_actions=False,
        raw_infos=True,
        **workers,
    )
    return PythonPool(env_fns, options)
