"""RolloutArrays: what a rollout consists of, as NumPy's arrays or as PyTorch's tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import map_leaves, nest
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


def views(memory: Any, columns: Columns, num_envs: int, dtype: Callable[[str], Any]) -> Any:
    """A function that returns a column of all slots, an array of shape (slots, num_envs, ...).

    Args:
        memory: The slots, uint8 of shape (slots, bytes of one): an array or a tensor.
        columns: What is in a slot.
        num_envs: How many rows each column has.
        dtype: Makes what ``memory.view`` takes of a dtype's name.
    """

    def column(name: str) -> Any:
        dtype_name, shape, _, begin = columns[name]
        size = num_envs * row_bytes(columns, name)
        part = memory[:, begin : begin + size].view(dtype(dtype_name))
        return part.reshape((len(memory), num_envs, *shape))

    return column


def row_bytes(columns: Columns, name: str) -> int:
    """The size of one environment's row of a column."""
    dtype_name, shape, _, _ = columns[name]
    bits = int("".join(filter(str.isdigit, dtype_name)) or 8)  # of "float32"; "bool" has no digits
    return bits // 8 * math.prod(shape)


def arrange(spec: EnvSpec, columns: Columns, column: Callable[[str], Any], action: Any) -> Any:
    """The arrays of a rollout, made of columns.

    Args:
        spec: The pool's.
        columns: What is in a slot.
        column: Returns a column of all slots.
        action: The actions.
    """
    contents = spec.spaces.contents

    def after(name: str) -> Any:
        return column(name)[1:]

    shown = contents.envpool_infos()
    shown |= {key: name for name, key in _DM_COLUMNS.items() if name in columns}
    final_obs = final_info = None
    if "@final_elapsed_step" in columns:
        finals: Any = envpool_plans(contents)["final_step"][-1]  # type: ignore[index]
        final_obs, final_info = map_leaves(after, finals)
    return RolloutArrays(
        observation=map_leaves(column, contents.observation),
        action=action,
        reward=after("@reward"),
        terminated=after("@terminated"),
        truncated=after("@truncated"),
        info=map_leaves(column, nest(shown)),
        final_obs=final_obs,
        final_info=final_info,
    )
