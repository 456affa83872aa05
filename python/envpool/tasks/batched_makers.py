"""Makes pools of environments that one object steps as a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from envpool.batched.adapters import adapt
from envpool.batched.group import Group, Seat
from envpool.batched.vector_env import VectorEnvBatch
from envpool.errors import shown
from envpool.flavours.base import EnvPool
from envpool.spec.option_values import PYTHON
from envpool.spec.options import OPTIONS, About, options_about
from envpool.tasks.python_makers import make_pool
from envpool.tasks.registry import registry

_IN_PROCESS = ("num_workers", 0)


def make_batched_pool(
    source: Any, flavour: str, options: dict[str, Any], task_id: str | None = None
) -> EnvPool:
    """See :func:`envpool.make_batched`; arguments as for :func:`.python_makers.make_pool`."""
    seats, ours = make_seats(source, options)
    return make_pool(seats, flavour, ours, task_id or (source if isinstance(source, str) else None))


def make_seats(
    source: Any, options: dict[str, Any]
) -> tuple[list[Callable[..., Seat]], dict[str, Any]]:
    """What makes each environment, and the options of a pool of them in this process.

    Arguments as for :func:`make_batched_pool`.
    """
    config, kwargs = _read_options(options)
    batch = adapt(source, config.num_envs, config.batch_size, kwargs)
    if isinstance(batch, VectorEnvBatch):
        batch.refuse(config, options)
    return Group(batch, config.num_envs).seats(), options | {"num_workers": 0}


def seat_maker(task_id: str, config: Any) -> Callable[..., Seat] | None:
    """What makes one of a pool's environments alone, for a replay; None if the id is not known.

    It is stepped by the programs of all, because the last bits of what JAX computes may depend on
    a program's shapes.

    Args:
        task_id: The id.
        config: The options of the pool.
    """
    if (source := registry.find_batched(task_id)) is None:
        return None
    return functools.partial(_make_seat, source, config.num_envs, config.batch_size)


def _make_seat(source: str, num_envs: int, batch_size: int, /, **kwargs: Any) -> Seat:
    return Seat(Group(adapt(source, num_envs, batch_size, kwargs), 1), 0)


def _read_options(options: dict[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """The options as a named tuple, resolved, and keyword arguments for the source."""
    kwargs = options.get("env_kwargs", {})
    if not isinstance(kwargs, Mapping):
        raise TypeError(f"env_kwargs is {shown(kwargs)}, expected a dict: one object has them all")
    for name in options_about(About.PROCESSES):
        is_default = options.get(name, OPTIONS[name].default) == OPTIONS[name].default
        if name != "env_kwargs" and not is_default and (name, options[name]) != _IN_PROCESS:
            raise TypeError(
                f"{name} is not an option of environments that step as a batch: they run in this "
                "process, in the thread that waits for results"
            )
    return PYTHON.settle(PYTHON.read(options)), kwargs
