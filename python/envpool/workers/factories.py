"""Factories: functions that make one environment each, of what users give for them."""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from envpool.errors import ArgumentError, did_you_mean, shown
from envpool.workers.worker_side.agents import has_agents, takes_turns
from envpool.workers.worker_side.parallel import ParallelEnvironment
from envpool.workers.worker_side.turns import TurnGame

Factory = Callable[[], Any]


def make_factories(
    source: Any, num_envs: int | None = None, options: Mapping[str, Any] | None = None
) -> list[Factory]:
    """A factory for each environment.

    Args:
        source: A function that makes an environment, or a list of such functions; the id of a
            registered environment, with ``"Module:"`` in front if that registers it, or
            ``"Module:function"``; or an ``EnvSpec``.
        num_envs: How many; left out, as many as the list has, or 1.
        options: What the functions, or ``gymnasium.make``, are called with.

    Raises:
        TypeError: The source is something else.
        ValueError: A list has another length than ``num_envs``, or is empty.
        gymnasium.error.Error: There is no such id.
    """
    require_source(source)
    options = dict(options or {})
    source = function_of(source)
    if isinstance(source, str):
        made: Factory = functools.partial(_make_registered, *_find(source), **options)
    elif isinstance(source, EnvSpec):
        made = functools.partial(_make_registered, None, source, **options)
    elif callable(source):
        made = functools.partial(source, **options) if options else source
    else:
        return _check_list(list(source), num_envs, options)
    return [made] * (1 if num_envs is None else num_envs)


def function_of(source: Any) -> Any:
    """The class or function that a text ``"Module:name"`` means; other sources as they are."""
    if not isinstance(source, str):
        return source
    module, _, name = source.rpartition(":")
    function = getattr(importlib.import_module(module), name, None) if module else None
    return function if callable(function) else source


def takes_render_mode(source: Any) -> bool:
    """True if it is a class or function with a parameter of that name."""
    try:
        return "render_mode" in inspect.signature(source).parameters
    except (TypeError, ValueError):  # it is none, or does not say
        return False


def require_source(source: Any) -> None:
    """Sees whether this can be a source of environments.

    Raises:
        TypeError: It cannot.
    """
    if isinstance(source, str | EnvSpec) or callable(source):
        return
    if isinstance(source, Iterable) and not isinstance(source, Mapping | gymnasium.Env):
        return
    raise TypeError(
        f"the source of environments is {shown(source)}, expected a function that makes one, a "
        "list of such functions, an id or an EnvSpec"
    )


def _check_list(
    factories: list[Any], num_envs: int | None, options: dict[str, Any]
) -> list[Factory]:
    expected = len(factories) if num_envs is None else num_envs
    if len(factories) != expected or not factories:
        raise ArgumentError(
            f"there are {len(factories)} functions that make environments, expected "
            + (f"num_envs = {num_envs}" if num_envs else "one or more")
        )
    for i, factory in enumerate(factories):
        if not callable(factory):
            raise TypeError(
                f"the source of environment {i} is {shown(factory)}, expected a function that "
                "makes one"
            )
    return [functools.partial(made, **options) if options else made for made in factories]


def _find(task_id: str) -> tuple[str | None, str | EnvSpec]:
    """The module that registers an environment, and what Gymnasium knows of it.

    Workers make it of that, because they may not know what was registered here.
    """
    module, _, name = task_id.rpartition(":")
    if module:
        importlib.import_module(module)
    try:
        return module or None, gymnasium.spec(name)
    except gymnasium.error.UnregisteredEnv as error:
        if not module:
            raise
        hint = did_you_mean(name, vars(sys.modules[module]))
        raise type(error)(
            f"{error} Nor has {module} a class or function {shown(name)}{hint}"
        ) from None
    except gymnasium.error.Error:  # without a version: Gymnasium chooses one, and warns
        return module or None, name


def _make_registered(module: str | None, spec: str | EnvSpec, **options: Any) -> Any:
    if module is not None:
        with warnings.catch_warnings():
            # A worker knows already what this process has registered, which the module does again.
            warnings.filterwarnings("ignore", ".*Overriding environment", UserWarning)
            importlib.import_module(module)
    return gymnasium.make(spec, **options)


def make_environment(factory: Factory) -> Any:
    """Makes a factory's environment, with the methods and spaces of Gymnasium's environments.

    An environment of several agents is a :class:`ParallelEnvironment`, or a :class:`TurnGame` if
    they act one after the other.

    Raises:
        TypeError: It makes no environment; the message says what it lacks.
        ArgumentError: Its agents have different spaces.
    """
    environment = factory()
    # Pools, EnvPool's too, pass for single environments.
    if hasattr(type(environment), "async_reset") or (
        not isinstance(environment, gymnasium.Env) and hasattr(environment, "num_envs")
    ):
        raise TypeError(
            f"the factory made {shown(environment)}, which is a vector of environments, expected "
            "one of them: the pool makes num_envs of these"
        )
    if has_agents(environment):
        return (TurnGame if takes_turns(environment) else ParallelEnvironment)(environment)
    for name in ("reset", "step"):
        if not callable(getattr(environment, name, None)):
            raise TypeError(
                f"the factory made {shown(environment)}, expected an environment, which has "
                f"{name}()"
            )
    for name in ("observation_space", "action_space"):
        space = getattr(environment, name, None)
        if not isinstance(space, gymnasium.Space):
            is_dm = hasattr(environment, "observation_spec")
            raise TypeError(
                f"the environment's {name} is {shown(space)}, expected a gymnasium.Space"
                + (": shimmy.DmControlCompatibilityV0 gives dm_env's one" if is_dm else "")
            )
    return environment
