"""Makes pools of environments written in Python."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gymnasium.envs.registration import EnvSpec as GymnasiumSpec

from envpool.errors import ArgumentError
from envpool.flavours import pool_class, with_defaults
from envpool.flavours.base import EnvPool
from envpool.flavours.python_header import python_header, spec_header
from envpool.flavours.python_pools import PythonEnvPool
from envpool.flavours.python_spec import Interface, PythonEnvSpec
from envpool.flavours.recording_header import CHUNKS, recording, write_header
from envpool.spec.memory import PER_ENV, require_memory
from envpool.spec.option_values import PYTHON
from envpool.spec.plans import Contents, Plans, bare_plans, dm_plans, envpool_plans
from envpool.spec.values import INT_MAX, seeds_for
from envpool.workers.factories import (
    Factory,
    function_of,
    make_environment,
    make_factories,
    takes_render_mode,
)
from envpool.workers.options import PoolOptions
from envpool.workers.pool_side.pool import PythonPool
from envpool.workers.worker_side.parallel import agents_of

MakePlans = Callable[[Contents], Plans]


def make_pool(
    source: Any, flavour: str, options: dict[str, Any], task_id: str | None = None
) -> EnvPool:
    """See :func:`envpool.make_python`.

    Args:
        source: What makes the environments.
        flavour: The API that the pool speaks; see :func:`envpool.flavours.flavour_of`.
        options: The options that were given.
        task_id: What the task is called, if it was registered.
    """
    options = with_defaults(flavour, options)
    is_dm = flavour == "dm"
    pool: EnvPool = _make(
        source,
        options,
        task_id,
        pool_class("Python", __name__, flavour, PythonEnvPool),
        dm_plans if is_dm else envpool_plans,
        time_step=is_dm,
    )
    return pool


def make_rows(source: Any, options: dict[str, Any], task_id: str | None = None) -> PythonEnvPool:
    """Makes a pool whose rows are those of single environments, each with its own dict of infos.

    Rewards are float64, observations are converted to their space's type whatever they are, and
    there is no auto-reset. Environments that are given no seed get none, unless they are recorded:
    then they get a random one.

    Arguments and exceptions as for :func:`make_pool`; there is no flavour.

    Raises:
        ArgumentError: The pool would be asynchronous.
    """
    options = options | {"autoreset_mode": "Disabled", "record_episode_statistics": False}
    if options.get("seed") is None:
        options.pop("seed", None)
    is_seeded = "seed" in options or "env_seed" in options
    if not is_seeded and options.get("record") is not None:
        options["seed"], is_seeded = secrets.randbits(31), True
    pool: PythonEnvPool = _make(
        source,
        options,
        task_id,
        PythonEnvPool,
        bare_plans,
        reward_dtype="float64",
        row_infos=True,
        cast_observations=True,
        **({} if is_seeded else {"seeds": ()}),
    )
    if pool.is_async:
        pool.close()
        raise ArgumentError(f"batch_size is {pool.config['batch_size']}, expected num_envs")
    return pool


def _make(
    source: Any,
    options: dict[str, Any],
    task_id: str | None,
    made_by: Any,
    make_plans: Callable[[Contents], Plans],
    **others: Any,
) -> Any:
    """See :func:`make_pool`.

    Args:
        source: What makes the environments.
        options: The options that were given.
        task_id: What the task is called, if it was registered.
        made_by: The pool's class.
        make_plans: Its plans of results.
        **others: Of :class:`PoolOptions`, what is the flavour's.
    """
    config, factories = _read_options(source, options)
    header = None
    if config.record is not None:
        header = python_header(source, task_id, config, options)
    with recording(config.record) as folder:
        record = os.fsencode(folder / CHUNKS) if folder else ""
        pool = _open(factories, config, make_plans, record=record, **others)
        try:
            spec = _spec_of(source, config, pool, pool.possible_agents, task_id)
            if others.get("time_step"):
                spec.spaces.require_arrays("dm_env")
            if folder and header:
                reward_dtype = others.get("reward_dtype", "float32")
                write_header(folder, header | spec_header(spec, reward_dtype))
            return made_by(spec, pool)
        except BaseException:
            pool.close()
            raise


def make_workers(
    source: Any, options: dict[str, Any], make_plans: MakePlans = envpool_plans
) -> PythonPool:
    """Makes the pool that runs the environments, without an API around it; rewards are float64.

    Arguments as for :func:`make_pool`, and what gives the plans of results.

    Raises:
        EnvironmentFailure: An environment was not made.
    """
    config, factories = _read_options(source, options)
    return _open(factories, config, make_plans, reward_dtype="float64")


def make_one(source: Any, options: dict[str, Any]) -> Any:
    """Makes one environment in this process; arguments as for :func:`make_pool`."""
    _, factories = _read_options(source, options)
    return make_environment(factories[0])


def make_python_spec(source: Any, options: dict[str, Any], task_id: str) -> PythonEnvSpec:
    """The spec of a pool; one environment is made for it in this process, and closed.

    Arguments as for :func:`make_pool`.
    """
    config, factories = _read_options(source, options)
    environment = make_environment(factories[0])
    try:
        return _spec_of(source, config, environment, agents_of(environment), task_id)
    finally:
        if callable(getattr(environment, "close", None)):
            environment.close()


def _read_options(source: Any, options: dict[str, Any]) -> tuple[Any, list[Factory]]:
    """The options as a named tuple, resolved; and what makes each environment."""
    source = function_of(source)
    if _is_list(source):
        source = list(source)
        options = {"num_envs": len(source)} | options
    config = PYTHON.settle(PYTHON.read(options))
    count = config.num_envs
    require_memory(count * PER_ENV, f"a pool with num_envs = {count} needs", ["num_envs"])
    return config, _factories(source, config, options)


def _factories(source: Any, config: Any, given: dict[str, Any]) -> list[Factory]:
    """Returns a factory for each environment.

    Args:
        source: Where they come from.
        config: The values of all options.
        given: The options that the caller gave.
    """
    ours: dict[str, Any] = {}
    is_gymnasiums = isinstance(source, str | GymnasiumSpec)  # whose make takes both
    if config.render_mode is not None and (is_gymnasiums or takes_render_mode(source)):
        ours["render_mode"] = "rgb_array"  # we have windows of our own
    if is_gymnasiums and "max_episode_steps" in given:
        ours["max_episode_steps"] = config.max_episode_steps
    kwargs = config.env_kwargs
    if isinstance(kwargs, Mapping):
        return make_factories(source, config.num_envs, ours | dict(kwargs))
    sources = list(source) if _is_list(source) else [source] * config.num_envs
    return [
        make_factories(one, 1, ours | dict(own))[0]
        for one, own in zip(sources, kwargs, strict=True)
    ]


def _is_list(source: Any) -> bool:
    """True if the source has a function for each environment."""
    is_one = isinstance(source, str | GymnasiumSpec) or callable(source)
    return not is_one and isinstance(source, Iterable)


def _open(
    factories: list[Factory], config: Any, make_plans: MakePlans = envpool_plans, **others: Any
) -> PythonPool:
    """A pool.

    Args:
        factories: What makes the environments.
        config: The values of all options.
        make_plans: Its plans of results.
        **others: Of :class:`PoolOptions`, what follows from no option.

    Raises:
        EnvironmentFailure: An environment was not made.
    """
    seeds = seeds_for(config.env_seed or config.seed, range(config.num_envs), config.num_envs)
    return PythonPool(factories, PoolOptions.of(config, **({"seeds": seeds} | others)), make_plans)


def _spec_of(
    source: Any, config: Any, made: Any, agents: tuple[Any, ...] | None, task_id: str | None
) -> PythonEnvSpec:
    """The spec of a pool.

    Args:
        source: Where its environments come from.
        config: The values of all options.
        made: What says what one of them is like: itself, or the pool.
        agents: That they can have; None if they are of one player.
        task_id: What the task is called, if it was registered.

    Raises:
        ArgumentError: The environments cannot be rendered as the options say, or have another
            number of players.
    """
    registered = getattr(made, "spec", None)
    name = registered.id if registered is not None else getattr(source, "__name__", "Python")
    mode = getattr(made, "render_mode", None)
    if config.render_mode is not None and mode != "rgb_array":
        raise ArgumentError(
            f"render_mode is {config.render_mode!r}, but the environments were made with "
            f"{mode!r}: make them with render_mode='rgb_array', for example by "
            "env_kwargs={'render_mode': 'rgb_array'}"
        )
    if config.render_mode is None and mode == "rgb_array":
        config = config._replace(render_mode=mode)
    if registered is not None:
        if config.reward_threshold is None:
            config = config._replace(reward_threshold=registered.reward_threshold)
        if config.max_episode_steps == INT_MAX and registered.max_episode_steps is not None:
            config = config._replace(max_episode_steps=registered.max_episode_steps)
    num_agents = None if agents is None else len(agents)
    if config.max_num_players not in (1, num_agents or 1):
        raise ArgumentError(
            f"max_num_players is {config.max_num_players}, expected {num_agents or 1}: the "
            "environments say themselves who plays"
        )
    metadata = dict(getattr(made, "metadata", None) or {})
    infos = made.info_space if isinstance(made, PythonPool) else None
    spaces = made.observation_space, made.action_space
    interface = Interface(name, *spaces, metadata, num_agents, infos)
    spec = PythonEnvSpec(config, interface)
    spec.id = task_id or (source if isinstance(source, str) else None)
    return spec
