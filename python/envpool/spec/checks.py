"""Checks of the options that all tasks share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from envpool.errors import ArgumentError, shown
from envpool.machine import MOST_THREADS
from envpool.spec import seeding
from envpool.spec.autoreset import parse_mode
from envpool.spec.config import INT_MAX, MOST_ENVS, MOST_PIXELS, RENDER_MODES
from envpool.spec.integers import integer
from envpool.spec.thread_pool import ThreadPool

if TYPE_CHECKING:
    from envpool._core import EnvType


def resolve(config: Any, env_type: EnvType) -> Any:
    """The options with batch_size and the seeds resolved.

    Args:
        config: The options as a named tuple.
        env_type: The native environment.

    Raises:
        TypeError: An option has a wrong type.
        ValueError: An option's value is not allowed, whatever the task.
    """
    num_envs = _integer(config, "num_envs", 1, MOST_ENVS)
    _check_render_mode(config.render_mode, env_type)
    if not isinstance(config.record_episode_statistics, bool | np.bool_):
        raise TypeError(
            f"record_episode_statistics is {shown(config.record_episode_statistics)}, "
            "expected a bool"
        )
    threshold = config.reward_threshold
    if threshold is not None and not isinstance(threshold, int | float):
        raise TypeError(f"reward_threshold is {shown(threshold)}, expected a number or None")
    _check_thread_pool(config)
    if config.record is not None and not isinstance(config.record, str | os.PathLike):
        raise TypeError(f"record is {shown(config.record)}, expected the path of a folder or None")
    seed, env_seed = _seeds(config, num_envs)
    return config._replace(
        num_envs=num_envs,
        batch_size=_integer(config, "batch_size", 0, num_envs) or num_envs,
        num_threads=_integer(config, "num_threads", 0, MOST_THREADS),
        thread_affinity_offset=_integer(config, "thread_affinity_offset", -1),
        max_num_players=_integer(config, "max_num_players", 1),
        max_episode_steps=_integer(config, "max_episode_steps", 1),
        seed=seed,
        env_seed=env_seed,
        autoreset_mode=parse_mode(config.autoreset_mode).value,
        render_env_id=_integer(config, "render_env_id", 0, num_envs - 1),
        render_width=_integer(config, "render_width", 0, MOST_PIXELS),
        render_height=_integer(config, "render_height", 0, MOST_PIXELS),
        render_camera_id=_integer(config, "render_camera_id", -1),
    )


def _integer(config: Any, name: str, least: int, most: int = INT_MAX) -> int:
    return integer(name, getattr(config, name), least, most)


def _check_thread_pool(config: Any) -> None:
    threads = config.thread_pool
    if threads is None:
        return
    if not isinstance(threads, ThreadPool):
        raise TypeError(f"thread_pool is {shown(threads)}, expected an envpool.ThreadPool or None")
    for name, default in {"num_threads": 0, "thread_affinity_offset": -1}.items():
        if (value := getattr(config, name)) not in (default, getattr(threads, name)):
            raise ArgumentError(
                f"{name} is {shown(value)}, and thread_pool has {getattr(threads, name)}: "
                "its threads are all that a pool has, so give it alone"
            )


def _seeds(config: Any, num_envs: int) -> tuple[int, Any]:
    """The values of ``seed`` and ``env_seed``."""
    seed, env_seed = config.seed, config.env_seed
    if not seeding.is_sequence(env_seed):
        raise TypeError(f"env_seed is {shown(env_seed)}, expected a sequence of integers")
    if seeding.is_sequence(seed) or len(env_seed) > 0:
        name, given = ("seed", seed) if seeding.is_sequence(seed) else ("env_seed", env_seed)
        return 0, seeding.seeds_for(given, range(num_envs), num_envs, name)
    return seeding.check_seed(seed), env_seed


def _check_render_mode(mode: Any, env_type: EnvType) -> None:
    if mode is None:
        return
    if not isinstance(mode, str) or mode not in RENDER_MODES:
        expected = ", ".join(map(repr, RENDER_MODES))
        raise ArgumentError(f"render_mode is {shown(mode)}, expected None, {expected}")
    if not env_type.can_render:
        raise ArgumentError(
            f"render_mode is {shown(mode)}, expected None: {env_type.name} cannot be rendered"
        )
