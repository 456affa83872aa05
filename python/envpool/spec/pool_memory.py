"""Refuses pools that are certain not to fit into memory."""

from __future__ import annotations

import itertools
import math

import numpy as np

from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import Field
from envpool.spec.memory import require_memory

_PER_ENV = 256  # bytes that the executor keeps of each environment at least, as measured


def require_pool_memory(spec: EnvSpec, *, has_batched_spaces: bool = False) -> None:
    """Refuses a pool that would not fit into memory.

    What is counted: what environments say that they hold, their actions, seeds and final rows; and
    the batches that there are from the first reset on.

    Args:
        spec: What the pool is made of.
        has_batched_spaces: There are spaces of all environments together.

    Raises:
        MemoryError: It would not fit.
    """
    config, described = spec.config, spec.spaces.described
    observation, info, action = (
        sum(_bytes(field, spec.spaces.most_players) for field in described[what])
        for what in ("observation", "info", "action")
    )
    row = observation + info
    keeps_finals = config.autoreset_mode == "SameStep"
    is_async = config.batch_size < config.num_envs
    batches = config.num_envs // config.batch_size + 2 if is_async else 1
    per_env = _PER_ENV + action + row * keeps_finals + 2 * observation * has_batched_spaces
    need = config.num_envs * per_env + batches * config.batch_size * row * (1 + keeps_finals)
    lower = iter(["num_envs"] if config.num_envs > 1 else [])
    for each in spec.task_specs:
        if each.options.native is not None:
            need += each.config.num_envs * each.options.native.memory()
            lower = itertools.chain(lower, each.options.enlarging())
    require_memory(need, f"a pool with num_envs = {config.num_envs} needs", lower)


def _bytes(field: Field, players: int) -> int:
    """The size of an environment's part of an array."""
    rows = players if field["per_player"] else 1
    return rows * math.prod(field["shape"]) * np.dtype(field["dtype"]).itemsize
