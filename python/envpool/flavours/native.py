"""Native pools: how they are made, and how they end with the interpreter."""

from __future__ import annotations

import atexit
import os
import time
import weakref
from typing import Literal, NoReturn

from envpool import _core
from envpool.spec.env_spec import EnvSpec
from envpool.spec.plans import Plans

_open_pools: weakref.WeakSet[_core.Pool] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """Ends all pools before the interpreter exits, with the threads that wait for them."""
    pools = list(_open_pools)
    deadline = time.monotonic() + 10
    while True:
        for pool in pools:
            pool.end()  # ends one wait; others may follow it
        if not any(pool.callers for pool in pools) or time.monotonic() > deadline:
            return
        time.sleep(0.001)  # lets daemon threads leave their calls


def make_native(
    spec: EnvSpec,
    plans: Plans,
    *,
    reward_dtype: Literal["float32", "float64"] = "float32",
    time_step: bool = False,
) -> _core.Pool:
    """Makes a native pool.

    Args:
        spec: What to make.
        plans: What its results look like.
        reward_dtype: The type of rewards in them.
        time_step: Have they dm_env's step types and discounts?
    """
    config = spec.config
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pool = _core.Pool(
        type=spec.env_type,
        options=spec.options(),
        seeds=spec.seeds(),
        batch_size=config.batch_size,
        num_threads=config.num_threads or min(config.batch_size, cores or 1),
        thread_affinity_offset=config.thread_affinity_offset,
        max_episode_steps=config.max_episode_steps,
        episode_statistics=bool(config.record_episode_statistics),
        autoreset_mode=config.autoreset_mode,
        reward_dtype=reward_dtype,
        time_step=time_step,
        plans=plans,
    )
    _open_pools.add(pool)
    return pool


def refuse_pickling(pool: object) -> NoReturn:
    """Tells who wants to pickle or copy a pool what to do instead.

    Raises:
        TypeError: Always.
    """
    raise TypeError(
        f"a {type(pool).__name__} has threads and cannot be pickled or copied: "
        "pickle its spec and make a new one, and take the environments' states along with "
        "get_state() and set_state()"
    )
