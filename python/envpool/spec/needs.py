"""How much memory pools and their environments need at least."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool.spec.memory import require_memory
from envpool.spec.spaces import Field

if TYPE_CHECKING:
    from envpool._core import EnvType
    from envpool.spec.env_spec import EnvSpec

# What the executor keeps of each environment, with the least that one can be; as measured.
_PER_ENV = 256


def require_env_memory(env_type: EnvType, options: dict[str, Any]) -> None:
    """Refuses an environment that would not fit into memory.

    Args:
        env_type: The native environment.
        options: Its options in the types that native code has.

    Raises:
        MemoryError: It would not.
    """
    require_memory(env_type.memory(options), "an environment needs", _reasons(env_type, options))


def _reasons(env_type: EnvType, options: dict[str, Any]) -> Iterator[str]:
    """The numbers among the options that make an environment larger than it is by default."""
    need = env_type.memory(options)
    for name, entry in env_type.options.items():
        default = entry["default"]
        if type(default) is int and env_type.memory(options | {name: default}) < need:
            yield name


def require_pool_memory(spec: EnvSpec, *, has_batched_spaces: bool = False) -> None:
    """Refuses a pool that would not fit into memory.

    What is counted: what environments say that they hold, their actions, seeds and final rows; and
    the batches that there are from the first reset on.

    Args:
        spec: What the pool is made of.
        has_batched_spaces: Are there spaces of all environments together?

    Raises:
        MemoryError: It would not fit.
    """
    config, players = spec.config, spec.most_players
    columns = [(name, field) for name, field in spec.columns.items() if not name.startswith("@")]
    row = sum(_bytes(field, players) for _, field in columns)
    action = sum(_bytes(field, players) for field in spec.action_fields)
    keeps_finals = config.autoreset_mode == "SameStep"
    batches = 1
    if config.batch_size < config.num_envs:
        batches = config.num_envs // config.batch_size + 2
    per_env = _PER_ENV + action
    if keeps_finals:
        per_env += row
    if has_batched_spaces:
        per_env += 2 * sum(_bytes(field, 1) for name, field in columns if name.startswith("obs."))
    need = config.num_envs * per_env + batches * config.batch_size * row * (1 + keeps_finals)
    several = ["num_envs"] if config.num_envs > 1 else []
    lower = itertools.chain(several)
    for each in spec.task_specs:
        options = each.options_of(0)
        need += each.config.num_envs * each.env_type.memory(options)
        lower = itertools.chain(lower, _reasons(each.env_type, options))
    require_memory(need, f"a pool with num_envs = {config.num_envs} needs", lower)


def _bytes(field: Field, players: int) -> int:
    """The size of an environment's part of an array."""
    rows = players if field["per_player"] else 1
    return rows * math.prod(field["shape"]) * np.dtype(field["dtype"]).itemsize
