"""Who chooses the actions: a function that is given, or chance."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from envpool.checks.actions import uniform
from envpool.errors import shown
from envpool.flavours.base import EnvPool
from envpool.flavours.python_spec import PythonEnvSpec
from envpool.spec import masks
from envpool.spec.env_spec import EnvSpec
from envpool.workers.spaces import SpaceLeaves, describe

# From a batch of observations and its info, as a pool returns them, and whose episode has ended
# with them, to a batch of actions.
Policy: TypeAlias = Callable[[Any, Any, NDArray[np.bool_]], Any]


def as_policy(function: Any) -> Policy:
    """Makes a policy of a function of observations, or of observations and their info.

    Raises:
        TypeError: It is no function.
    """
    if not callable(function):
        raise TypeError(f"policy is {shown(function)}, expected a function of observations")
    if _takes_info(function):
        return lambda observation, info, over: function(observation, info)
    return lambda observation, info, over: function(observation)


def _takes_info(function: Callable[..., Any]) -> bool:
    """True if a function must be called with two arguments."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # of some functions in C
        return False
    needed = [
        each
        for each in parameters
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    return len(needed) == 2  # noqa: PLR2004 - observation and info


def random_policy(spec: EnvSpec, seed: int) -> Policy:
    """A policy of random actions, of those that action masks allow.

    Args:
        spec: What it plays.
        seed: Of the actions.
    """
    batch_size, several = spec.config.batch_size, spec.spaces.most_players > 1
    if isinstance(spec, PythonEnvSpec) and not several:
        return sampling_policy(spec.interface.action_space, batch_size, seed)
    random = np.random.default_rng(seed)
    fields = spec.spaces.action_fields

    def act(observation: Any, info: dict[str, Any], over: NDArray[np.bool_]) -> Any:
        action = random_action(spec, batch_size, random)
        if several:
            rows = {True: len(info["players"]["env_id"]), False: len(info["env_id"])}
            action = {f["name"]: action[f["name"]][: rows[f["per_player"]]] for f in fields}
        return masks.allowed(fields, action, observation, info, over, random)

    return act


def random_policy_of(pool: Any, seed: int) -> Policy:
    """The same for a pool of Gymnasium's API, or for any vector environment."""
    own = getattr(pool, "unwrapped", pool)
    if isinstance(own, EnvPool):
        return random_policy(own.spec, seed)
    return sampling_policy(pool.single_action_space, pool.num_envs, seed)


def sampling_policy(space: spaces.Space[Any], num_envs: int, seed: int) -> Policy:
    """The same for a number of environments with this action space, in whatever API."""
    batch: spaces.Space[Any] = batch_space(space, num_envs)
    batch.seed(seed)
    leaves = SpaceLeaves(space, "action")
    fields = describe(leaves, leaves, None)["action"]
    names = [leaf.name for leaf in leaves.leaves]
    random, steps = np.random.default_rng(seed), np.zeros(num_envs, int)

    def act(observation: Any, info: Any, over: NDArray[np.bool_]) -> Any:
        # For messages: EnvPool's infos have these rows, Gymnasium's have not.
        rows = {"env_id": np.arange(num_envs), "elapsed_step": steps.copy(), "players": {}}
        steps[...] = np.where(over, 0, steps + 1)
        action = batch.sample()
        if leaves.objects or masks.find(observation, info) is None:
            return action
        info = rows | info if isinstance(info, dict) else rows
        arrays = dict(zip(names, leaves.split(action), strict=True))
        chosen = masks.allowed(fields, arrays, observation, info, over, random)
        return leaves.assemble(list(chosen.values()))

    return act


def random_action(spec: EnvSpec, rows: int, random: np.random.Generator) -> Any:
    """Makes a batch of random actions: an array, or a dict of arrays if there are several.

    If there can be several players, it is a dict with as many rows as there can ever be.
    """
    rows *= spec.spaces.most_players
    action = {
        field["name"]: uniform(field, random, (rows, *field["shape"]))
        for field in spec.spaces.action_fields
    }
    if len(action) > 1 or spec.spaces.most_players > 1:
        return action
    return next(iter(action.values()))
