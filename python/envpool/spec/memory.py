"""How much memory is left, and refusals of what is certain not to fit.

The kernel gives out more than it has, and ends the process that then uses it. So what would be that
large is compared with what is left first. Only what will certainly be written to is counted.
"""

from __future__ import annotations

import itertools
import math
import resource
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from envpool.machine import control_groups, text_of

if TYPE_CHECKING:
    from envpool.spec.env_spec import EnvSpec
    from envpool.spec.fields import Field

PER_ENV = 256  # bytes that the executor keeps of each environment at least, as measured
_WORTH_ASKING = 2**26  # bytes; less is never refused
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
    if need < _WORTH_ASKING:
        return
    left = available_memory()
    if need > left:
        raise MemoryError(
            f"{what} at least {need / 1e9:.1f} GB of memory, and {left / 1e9:.1f} GB are left: "
            f"lower {' or '.join(options)}"
        )


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
    per_env = PER_ENV + action + row * keeps_finals + 2 * observation * has_batched_spaces
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
    return rows * row_bytes(field["dtype"], field["shape"])


def row_bytes(dtype: str, shape: tuple[int, ...]) -> int:
    """The size of one row of such an array."""
    return np.dtype(dtype).itemsize * math.prod(shape)


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
    """Returns the bytes that ``ulimit -v`` leaves."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = text_of(proc / "self" / "statm").split()
    if limit == resource.RLIM_INFINITY or not pages:
        return math.inf
    return limit - int(pages[1]) * resource.getpagesize()  # what is resident can be used again


def _left_of_groups(proc: Path, groups: Path) -> Iterator[float]:
    """Yields the bytes that control groups leave, the process's own and those around it."""
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
