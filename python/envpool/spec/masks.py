"""Action masks: which actions an environment allows at the moment, and how to keep to these.

An environment says so in an observation (an entry of a Dict) or an info named ``action_mask``, also
below ``players``, with 1 for what it allows and 0 for the rest:

- of a Discrete action a vector of n;
- of a MultiDiscrete one the vectors of its parts one after the other, or a tuple of them;
- of a Dict or Tuple a dict or tuple of those, without the parts that have no mask.

Actions of other spaces have no masks. docs/write-an-environment.md tells authors.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError
from envpool.spec.fields import Field, bounds
from envpool.spec.spaces import Spaces

NAME = "action_mask"
_PLAYERS = "players"


@dataclasses.dataclass(frozen=True)
class Rows:
    """Who takes the actions of a batch.

    Attributes:
        env_ids: Whose environment's each row is.
        steps: How many steps its episode has had.
        over: Whose episode has ended, bool: its action counts for nothing, and its mask may allow
            nothing.
    """

    env_ids: NDArray[Any]
    steps: NDArray[Any]
    over: NDArray[np.bool_]


def declared(spaces: Spaces) -> str:
    """Where EnvPool's dialects have masks: ``observation``, ``info``, or nowhere (empty).

    Infos of environments written in Python are not known before there are some.
    """
    infos = spaces.info_rules.in_envpool(spaces.infos)
    for where, names in (("observation", spaces.observation_names), ("info", infos)):
        if any(name.removeprefix(f"{_PLAYERS}.").split(".")[0] == NAME for name in names):
            return where
    return ""


def find(observation: Any, info: Any) -> dict[str, Any] | None:
    """The dict of a batch of results that has the entry ``action_mask``; None if there is none.

    Args:
        observation: The observations.
        info: Their infos.
    """
    for results in (observation, info):
        for place in (results, results.get(_PLAYERS) if isinstance(results, dict) else None):
            if isinstance(place, dict) and place.get(NAME) is not None:
                return place
    return None


def rows_of(info: dict[str, Any], over: NDArray[np.bool_], per_player: bool) -> Rows:
    """Who takes the actions after a batch of results in EnvPool's dialect.

    Args:
        info: The infos.
        over: Whose episode has ended, bool, one per environment of the batch.
        per_player: The actions have a row per player.
    """
    env_ids, steps, players = info["env_id"], info["elapsed_step"], info[_PLAYERS]
    if not per_player:
        return Rows(env_ids, steps, over)
    order = np.argsort(env_ids)
    owners = order[np.searchsorted(env_ids, players["env_id"], sorter=order)]
    ended = over[owners]
    for name in ("terminated", "truncated"):  # of single players, which only Python's have
        ended = ended | players.get(name, False)
    return Rows(env_ids[owners], steps[owners], ended)


def allowed(
    fields: Sequence[Field],
    action: Any,
    observation: Any,
    info: dict[str, Any],
    over: NDArray[np.bool_],
    random: np.random.Generator | None = None,
) -> Any:
    """A batch of actions in which others stand for those that its masks forbid.

    Args:
        fields: The action's arrays.
        action: The batch, an array or a dict of arrays by the fields' names.
        observation: The last observations, in EnvPool's dialect of Gymnasium's API.
        info: Their infos.
        over: Which episodes have ended with them, bool, one per environment of the batch.
        random: What draws the others; see :func:`allow`.

    Raises:
        ArgumentError: A mask has a wrong shape, other numbers than 0 and 1, or allows nothing.
    """
    place = find(observation, info)
    if place is None:
        return action
    arrays = action if isinstance(action, dict) else {fields[0]["name"]: action}
    chosen = {
        field["name"]: allow(
            field,
            arrays[field["name"]],
            mask_of(place, field["name"], len(fields) == 1),
            rows_of(info, over, field["per_player"]),
            random,
        )
        for field in fields
    }
    return chosen if isinstance(action, dict) else chosen[fields[0]["name"]]


def mask_of(place: dict[str, Any], name: str, is_single: bool) -> Any:
    """The masks of one of the action's arrays; None if it has none.

    Args:
        place: What :func:`find` found.
        name: The array's name.
        is_single: The action has no other arrays.

    Returns:
        An array with a row per action, usually.
    """
    keys = [] if is_single else name.removeprefix(f"{_PLAYERS}.").split(".")
    found: Any = place
    for key in (NAME, *keys):
        if isinstance(found, tuple):  # of a Tuple, whose parts are called item0, item1, ...
            found = found[int(key.removeprefix("item"))]
        elif isinstance(found, dict) and key in found:
            found = _with_ones(found[key], found.get(f"_{key}"))
        else:
            return None
    return _joined(found)


def _with_ones(masks: Any, has: NDArray[np.bool_] | None) -> Any:
    """Infos of a batch, in which some environments may have no mask: these allow everything."""
    if has is None or has.all() or not isinstance(masks, np.ndarray) or masks.dtype == object:
        return masks
    return np.where(has.reshape(-1, *(1,) * (masks.ndim - 1)), masks, 1)


def _joined(masks: Any) -> Any:
    """The masks of a MultiDiscrete's parts one after the other."""
    if isinstance(masks, tuple):
        return np.concatenate([part.reshape(len(part), -1) for part in masks], axis=1)
    if isinstance(masks, np.ndarray) and masks.dtype == object and len(masks):  # infos with tuples
        return stacked(masks)
    return masks


def stacked(masks: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    """The masks of some environments as one array; of objects, if they have different shapes.

    Args:
        masks: One each: an array, or a tuple of the arrays of a MultiDiscrete's parts.
    """
    rows = [np.concatenate(row) if isinstance(row, tuple) else np.asarray(row) for row in masks]
    if len({row.shape for row in rows}) == 1:
        return np.stack(rows)
    return np.fromiter(rows, object, len(rows))


def sizes_of(action_space: gymnasium.Space[Any]) -> list[int] | None:
    """How many values each part of an action has; None if there are no masks for such actions."""
    if isinstance(action_space, gymnasium.spaces.Discrete):
        return [int(action_space.n)]
    if isinstance(action_space, gymnasium.spaces.MultiDiscrete) and action_space.nvec.ndim == 1:
        return [int(n) for n in action_space.nvec]
    return None


def read(mask: Any, sizes: Sequence[int], rows: Rows) -> NDArray[np.bool_]:
    """The masks of a batch as bools, of shape ``(n, sum(sizes))``.

    Args:
        mask: What each row allows.
        sizes: How many values each part of an action has.
        rows: Whose masks they are.

    Raises:
        ArgumentError: A mask has a wrong shape, other numbers than 0 and 1, or allows nothing.
    """
    allows = _checked(mask, sum(sizes), len(rows.env_ids), rows)
    for i, part in enumerate(np.split(allows, np.cumsum(sizes[:-1]), axis=1)):
        _require_some(part, sizes, i, rows)
    return allows


def allow(
    field: Field,
    action: NDArray[Any],
    mask: Any,
    rows: Rows,
    random: np.random.Generator | None = None,
) -> NDArray[Any]:
    """One array of actions, in which allowed ones stand for those that are not.

    Args:
        field: The array.
        action: A batch of it.
        mask: What each row allows; None: everything.
        rows: Who takes the actions.
        random: What draws the others, all with the same probability. None: they follow from those
            that they replace, the lowest for the lowest and the highest for the highest.

    Raises:
        ArgumentError: The mask has a wrong shape, other numbers than 0 and 1, or allows nothing.
    """
    if mask is None or field["space"] not in ("discrete", "multi_discrete"):
        return action
    low, high = (each.astype(np.int64).reshape(-1) for each in bounds(field))
    sizes = (high - low + 1).tolist()
    allows = read(mask, sizes, rows)
    flat = action.reshape(len(action), -1)
    chosen = flat.copy()
    for i, part in enumerate(np.split(allows, np.cumsum(sizes[:-1]), axis=1)):
        index = flat[:, i].astype(np.int64) - low[i]
        count = part.sum(axis=1)
        is_forbidden = ~part[np.arange(len(part)), index] & (count > 0)
        share = (index + 0.5) / sizes[i] if random is None else random.random(len(part))
        which = (share * count).astype(np.int64)  # of those that are allowed
        other = (part.cumsum(axis=1) > which[:, None]).argmax(axis=1)
        chosen[:, i] = np.where(is_forbidden, other, index) + low[i]
    return chosen.reshape(action.shape)


def _checked(mask: Any, size: int, count: int, rows: Rows) -> NDArray[np.bool_]:
    """The masks as bools, of shape ``(count, size)``."""
    array = np.asarray(mask)
    if array.shape[:1] != (count,):
        raise ArgumentError(
            f"{NAME} has the shape {array.shape} after step {int(rows.steps[0])} of environment "
            f"{int(rows.env_ids[0])}, expected {(count, size)}: a row for each of {count} actions"
        )
    if array.shape != (count, size):
        row = next(i for i, each in enumerate(array) if np.shape(each) != (size,))
        raise ArgumentError(
            f"{_whose(rows, row)} has the shape {np.shape(array[row])}, expected {(size,)}"
        )
    is_wrong = ~np.isin(array, (0, 1))
    if is_wrong.any():
        row, column = np.argwhere(is_wrong)[0]
        raise ArgumentError(
            f"{_whose(rows, row)} has {array[row, column]} at {column}, expected 0 or 1"
        )
    return array.astype(bool)


def _require_some(part: NDArray[np.bool_], sizes: Sequence[int], i: int, rows: Rows) -> None:
    is_wrong = ~part.any(axis=1) & ~rows.over
    if is_wrong.any():
        of_part = "" if len(sizes) == 1 else f" of part {i}"
        whose = _whose(rows, int(is_wrong.argmax()))
        raise ArgumentError(
            f"{whose} allows none of the {sizes[i]} actions{of_part}, expected at least one, or "
            "the end of the episode"
        )


def _whose(rows: Rows, row: int) -> str:
    step = int(rows.steps[row])
    when = f"after step {step} of its episode" if step else "after its reset"
    return f"{NAME} of environment {int(rows.env_ids[row])} {when}"
