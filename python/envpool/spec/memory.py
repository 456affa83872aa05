"""A refusal of what is certain not to fit into memory.

The kernel gives out more than it has, and ends the process that then uses it. So what would be that
large is compared with what is left first. The layout of rows and actions tells how large it is at
least: only what will certainly be written to is counted.
"""

from __future__ import annotations

import itertools
import math
import resource
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool.machine import control_groups, text_of

if TYPE_CHECKING:
    from envpool._core import EnvType
    from envpool.spec.env_spec import EnvSpec
    from envpool.spec.spaces import Field

_WORTH_ASKING = 2**26  # bytes; less is never refused
# What the executor keeps of each environment, with the least that one can be; as measured.
_PER_ENV = 256
# By the version of control groups: where the limit and the use are, and the name of what the kernel
# can drop.
_FILES = {
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache"),
    2: ("memory.max", "memory.current", "file"),
}


def require_memory(need: int, what: str, options: Iterable[str]) -> None:
    """Refuses what would not fit into memory.

    Args:
        need: How many bytes it takes at least.
        what: Who needs them.
        options: What to lower; only looked at if that is too much.

    Raises:
        MemoryError: There is less than that left.
    """
    if need >= _WORTH_ASKING and need > (left := available_memory()):
        raise MemoryError(
            f"{what} at least {_gigabytes(need)} of memory, and {_gigabytes(left)} are left: "
            f"lower {' or '.join(options)}"
        )


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


def available_memory(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> float:
    """The bytes that this process can still use; infinite if nothing limits it.

    It counts what is in swap, and caches that the kernel can drop, as left.

    Args:
        proc: Where Linux tells of processes.
        groups: Where it has their control groups.
    """
    memory = _numbers(proc / "meminfo", unit=1024)
    left = memory.get("MemAvailable:", math.inf) + memory.get("SwapFree:", 0)
    return max(0.0, min(left, _left_of_address_space(proc), *_left_of_groups(proc, groups)))


def _left_of_address_space(proc: Path) -> float:
    """What ``ulimit -v`` leaves."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = text_of(proc / "self" / "statm").split()
    if limit == resource.RLIM_INFINITY or not pages:
        return math.inf
    return limit - int(pages[1]) * resource.getpagesize()  # what is resident can be used again


def _left_of_groups(proc: Path, groups: Path) -> Iterator[float]:
    """What the process's control group leaves, and those around it, in both versions of them."""
    yield math.inf
    for version, group in control_groups("memory", proc, groups):
        limit, usage, cache = _FILES[version]
        most, used = text_of(group / limit).strip(), text_of(group / usage).strip()
        if most.isdigit() and used.isdigit():  # "max" is no limit
            yield int(most) - int(used) + _numbers(group / "memory.stat").get(cache, 0)


def _numbers(path: Path, unit: int = 1) -> dict[str, int]:
    """The lines of a file that are a name and a number."""
    lines = [line.split() for line in text_of(path).splitlines()]
    return {line[0]: unit * int(line[1]) for line in lines if len(line) > 1 and line[1].isdigit()}


def _gigabytes(count: float) -> str:
    return f"{count / 1e9:.1f} GB"
