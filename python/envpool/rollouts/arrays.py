"""RolloutArrays: what a rollout consists of, as NumPy's arrays or as PyTorch's tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from envpool.errors import ArgumentError, shown
from envpool.flavours.base import EnvPool
from envpool.flavours.torch_pool import TorchPool
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import map_leaves, nest
from envpool.spec.memory import require_memory, row_bytes
from envpool.spec.plans import envpool_plans

# What only dm_env's results have, by the column's name.
_DM_COLUMNS = {"@step_type": "step_type", "@discount": "discount"}

# Of each column of a batch: dtype, shape of a row, True if there is a row for each player, and
# where in the batch's memory it begins.
Columns = dict[str, tuple[str, tuple[int, ...], bool, int]]


class RolloutArrays(NamedTuple):
    """The arrays of a rollout, or rows of them: dicts and tuples of arrays where results have them.

    Attributes:
        observation: What the environments show before step t, and in the last row after all steps:
            of shape ``(num_steps + 1, num_envs, ...)``, with the dtype and structure of results.
        action: What step t was given, ``(num_steps, num_envs, ...)``.
        reward: What came of step t, float32 of shape ``(num_steps, num_envs)``.
        terminated: Where step t ended an episode, bool of the same shape.
        truncated: The same of episodes that were cut off.
        info: A dict of what came along with ``observation``, with as many rows. In dm_env's API it
            also has ``step_type`` and ``discount``.
        final_obs: With auto-reset in the same step, the last observations of the episodes that step
            t has ended, of shape ``(num_steps, num_envs, ...)``. Only rows where ``terminated`` or
            ``truncated`` is True are valid. None in other modes.
        final_info: Their infos, likewise.
    """

    observation: Any
    action: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: dict[str, Any]
    final_obs: Any
    final_info: Any

    def map(self, function: Callable[[Any], Any]) -> RolloutArrays:
        """The same structure with what a function makes of each array."""
        parts: list[Any] = [part if part is None else map_leaves(function, part) for part in self]
        return RolloutArrays(*parts)

    def minibatch(self, indices: ArrayLike) -> RolloutArrays:
        """Copies some transitions out of the rollout.

        Args:
            indices: Integers below ``num_steps * num_envs``: number ``t * num_envs + i`` is step t
                of environment i. A permutation, cut in pieces, gives the minibatches of an epoch.

        Returns:
            Arrays with a row for each index; of ``observation`` and ``info``, what was there before
            the step.
        """
        steps, envs = np.divmod(np.asarray(indices), self.reward.shape[1])
        return self.map(lambda array: array[steps, envs])


class HasArrays:
    """A base of rollouts, which have their arrays as attributes.

    Args:
        arrays: All of them.

    Attributes:
        arrays: All of them, which are also attributes of the rollout itself: ``observation``,
            ``action``, ``reward``, ``terminated``, ``truncated``, ``info``, ``final_obs`` and
            ``final_info``.
    """

    def __init__(self, arrays: RolloutArrays) -> None:
        self.arrays = arrays
        self.observation, self.action, self.reward = arrays[:3]
        self.terminated, self.truncated, self.info = arrays[3:6]
        self.final_obs, self.final_info = arrays[6:]

    def minibatch(self, indices: ArrayLike) -> RolloutArrays:
        """Copies some transitions out of the rollout: see :meth:`RolloutArrays.minibatch`."""
        return self.arrays.minibatch(indices)


def require_no_mask(options: dict[str, Any] | None) -> None:
    """Refuses resets of some environments only.

    Raises:
        ArgumentError: These options of a reset would be that.
    """
    if options is not None and "reset_mask" in options:
        raise ArgumentError("options has a reset_mask, expected none: a rollout resets all")


def require_pool(pool: Any, refusal: str, why_not: Callable[[EnvPool], str]) -> None:
    """Refuses pools whose results cannot be kept.

    Args:
        pool: What may be a pool.
        refusal: What the message begins with.
        why_not: Says why those of a pool cannot, whatever others can; empty if they can.

    Raises:
        TypeError: It is no pool of :func:`envpool.make` and its like.
        ArgumentError: It is one of those.
    """
    if isinstance(pool, TorchPool):
        raise TypeError(
            f"pool is {shown(pool)}, which returns tensors: give pool.bare (a Rollout makes "
            "tensors by to())"
        )
    if not isinstance(pool, EnvPool):
        raise TypeError(f"pool is {shown(pool)}, expected a pool of envpool.make()")
    reason = why_not(pool)
    if pool._spec.spaces.most_players > 1:
        reason = "its environments have several players, whose number changes"
    elif pool._spec.config.autoreset_mode == "Disabled":
        reason = "its autoreset_mode is 'Disabled', and rollouts reset no single environments"
    if reason:
        raise ArgumentError(f"{refusal}: {reason}")


def require_room(num_steps: int, num_envs: int, row: int) -> None:
    """Refuses rollouts that would not fit into memory.

    Args:
        num_steps: How many steps it has.
        num_envs: Of how many environments.
        row: The size of a row of all columns that will be written.

    Raises:
        MemoryError: It would not fit.
    """
    what = f"a rollout with num_steps = {num_steps} needs"
    require_memory((num_steps + 1) * num_envs * row, what, ["num_steps"])


def views(
    memory: Any, columns: Columns, num_envs: int, dtype: Callable[[str], Any]
) -> dict[str, Any]:
    """The columns of all slots, arrays of shape (slots, num_envs, ...).

    Args:
        memory: The slots, uint8 of shape (slots, bytes of one): an array or a tensor.
        columns: What is in a slot.
        num_envs: How many rows each column has.
        dtype: Makes what ``memory.view`` takes of a dtype's name.
    """
    found = {}
    for name, (dtype_name, shape, _, begin) in columns.items():
        size = num_envs * row_bytes(dtype_name, shape)
        part = memory[:, begin : begin + size].view(dtype(dtype_name))
        found[name] = part.reshape((len(memory), num_envs, *shape))
    return found


def pairs(nested: Any, batch: Any) -> Iterator[tuple[Any, Any]]:
    """Each leaf of dicts and tuples, with what a batch has in its place.

    Args:
        nested: The dicts and tuples.
        batch: Others, which may have further entries; its tuples may lack their last ones.
    """
    if isinstance(nested, dict):
        for key, part in nested.items():
            yield from pairs(part, batch[key])
    elif isinstance(nested, tuple):
        for part, other in zip(nested, batch, strict=False):
            yield from pairs(part, other)
    else:
        yield nested, batch


def action_of(spec: EnvSpec, arrays: list[Any]) -> Any:
    """Actions as results have them, made of an array per field."""
    named = dict(zip(spec.spaces.action_names, arrays, strict=True))
    return arrays[0] if len(arrays) == 1 else nest(named)


def arrange(spec: EnvSpec, columns: Mapping[str, Any], actions: list[Any]) -> RolloutArrays:
    """The arrays of a rollout.

    Args:
        spec: The pool's.
        columns: Those of results, of all slots.
        actions: The actions, an array per field.
    """
    contents, column = spec.spaces.contents, columns.__getitem__

    def after(name: str) -> Any:
        return columns[name][1:]

    shown = contents.envpool_infos()
    shown |= {key: name for name, key in _DM_COLUMNS.items() if name in columns}
    final_obs = final_info = None
    if "@final_elapsed_step" in columns:
        finals: Any = envpool_plans(contents)["final_step"][-1]  # type: ignore[index]
        final_obs, final_info = map_leaves(after, finals)
    return RolloutArrays(
        observation=map_leaves(column, contents.observation),
        action=action_of(spec, actions),
        reward=after("@reward"),
        terminated=after("@terminated"),
        truncated=after("@truncated"),
        info=map_leaves(column, nest(shown)),
        final_obs=final_obs,
        final_info=final_info,
    )
