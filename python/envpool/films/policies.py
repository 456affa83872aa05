"""Who chooses the actions: a function, a model or a module that is given, or chance."""

from __future__ import annotations

import inspect
import sys
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
from envpool.spec.fields import map_leaves
from envpool.workers.spaces import SpaceLeaves, describe

# From a batch of observations and its info, as a pool returns them, and whose episode has ended
# with them, to a batch of actions.
Policy: TypeAlias = Callable[[Any, Any, NDArray[np.bool_]], Any]


def as_policy(given: Any, space: spaces.Space[Any]) -> Policy:
    """Makes a policy of what a caller gives.

    Args:
        given: A function of observations, or of observations and their info; an object with
            Stable-Baselines3's ``predict``; or a ``torch.nn.Module``.
        space: The actions of one environment, or of one player.

    Raises:
        TypeError: It is none of these; or a module, and the actions are neither Box nor Discrete.
    """
    if hasattr(given, "predict"):
        return _of_model(given)
    if is_learned(given):
        return _of_module(given, space)
    if not callable(given):
        raise TypeError(
            f"policy is {shown(given)}, expected a function of observations, a torch.nn.Module or "
            "an object with predict()"
        )
    if sees_info(given):
        return lambda observation, info, over: given(observation, info)
    return lambda observation, info, over: given(observation)


def is_learned(given: Any) -> bool:
    """True if it is a model with ``predict``, or a ``torch.nn.Module``, and no plain function."""
    torch = sys.modules.get("torch")  # or else nobody can have made a module
    return hasattr(given, "predict") or (torch is not None and isinstance(given, torch.nn.Module))


def sees_info(given: Any) -> bool:
    """True if a policy has a use for infos: of functions, those that must get two arguments."""
    if hasattr(given, "predict"):
        return True
    try:
        parameters = inspect.signature(given).parameters.values()
    except (TypeError, ValueError):  # of some functions in C
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [each for each in parameters if each.default is each.empty and each.kind in kinds]
    return len(needed) == 2  # noqa: PLR2004 - observation and info


def _of_model(model: Any) -> Policy:
    """What a model with Stable-Baselines3's ``predict`` does, without chance.

    Its memory, if it has one, has a row for each environment; ``episode_start`` says whose is to be
    cleared. It gets action masks if it takes them.
    """
    takes_masks = "action_masks" in inspect.signature(model.predict).parameters
    memory: Any = None

    def act(observation: Any, info: Any, over: NDArray[np.bool_]) -> Any:
        nonlocal memory
        begins = info["elapsed_step"] == 0
        found = masks.find(observation, info) if takes_masks else None
        more = {} if found is None else {"action_masks": found[masks.NAME]}
        action, memory = model.predict(
            observation, state=memory, episode_start=begins, deterministic=True, **more
        )
        return action

    return act


def _of_module(module: Any, space: spaces.Space[Any]) -> Policy:
    """What a module does that returns actions of a Box, or a logit for each one of a Discrete.

    It is called as it is when it is evaluated: without gradients, and in eval mode, after which its
    parts are again in the modes in which they were.
    """
    if not isinstance(space, spaces.Box | spaces.Discrete):
        raise TypeError(f"policy is a module, and actions are {space}, expected Box or Discrete")
    torch = sys.modules["torch"]
    shape = (int(space.n),) if isinstance(space, spaces.Discrete) else space.shape
    weight = next(module.parameters(), torch.empty(0))  # all others are where it is, as usual

    def tensor(array: Any) -> Any:
        made = torch.as_tensor(array)
        return made.to(weight.device, weight.dtype if made.is_floating_point() else made.dtype)

    def act(observation: Any, info: Any, over: NDArray[np.bool_]) -> Any:
        training = [part for part in module.modules() if part.training]
        module.eval()
        try:
            with torch.no_grad():
                output = module(map_leaves(tensor, observation))
        finally:
            for part in training:
                part.training = True
        if not isinstance(output, torch.Tensor) or output.shape[1:] != shape:
            got = getattr(output, "shape", type(output).__name__)
            raise TypeError(
                f"the module returned {got}, expected a tensor with rows of shape {shape}"
            )
        if isinstance(space, spaces.Discrete):
            return output.argmax(1).cpu().numpy() + space.start
        return output.cpu().numpy()

    return act


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


def policy_of(given: Any, pool: Any, seed: int) -> Policy:
    """Who plays a pool of Gymnasium's API, or any vector environment.

    Args:
        given: What :func:`as_policy` takes; None: random actions.
        pool: The pool.
        seed: Of random actions.
    """
    if given is not None:
        return as_policy(given, pool.single_action_space)
    own = getattr(pool, "unwrapped", pool)
    if isinstance(own, EnvPool):
        return random_policy(own.spec, seed)
    return sampling_policy(pool.single_action_space, pool.num_envs, seed)


def sampling_policy(space: spaces.Space[Any], num_envs: int, seed: int) -> Policy:
    """The same for a number of environments with this action space.

    Their infos say in ``elapsed_step`` how many steps each has had.
    """
    batch: spaces.Space[Any] = batch_space(space, num_envs)
    batch.seed(seed)
    leaves = SpaceLeaves(space, "action")
    fields = describe(leaves, leaves, None)["action"]
    names = [leaf.name for leaf in leaves.leaves]
    random = np.random.default_rng(seed)
    # For messages: EnvPool's infos have these rows, Gymnasium's have not.
    rows = {"env_id": np.arange(num_envs), "players": {}}

    def act(observation: Any, info: Any, over: NDArray[np.bool_]) -> Any:
        action = batch.sample()
        if leaves.objects or masks.find(observation, info) is None:
            return action
        arrays = dict(zip(names, leaves.split(action), strict=True))
        chosen = masks.allowed(fields, arrays, observation, rows | info, over, random)
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
