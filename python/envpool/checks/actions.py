"""Actions: what environments are played with, and what their masks allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool.spec import masks
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import Field, bounds

_FAR = 1e30  # bounds beyond it bound nothing
_LARGE = 1e6  # an action where there is no bound
_PERIOD = 256  # steps, after which an environment's actions come again

# Makes an array of a field's actions, of the shape that is given.
Choose = Callable[[Field, np.random.Generator, tuple[int, ...]], NDArray[Any]]


def uniform(field: Field, random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
    """Anything within the bounds; where there are none, within 1 of the other one or of 0."""
    low, high = bounds(field)
    chosen: NDArray[Any]
    if low.dtype.kind == "f":
        least = np.where(low < -_FAR, np.minimum(high, 0) - 1, low)
        most = np.where(high > _FAR, np.maximum(low, 0) + 1, high)
        chosen = np.clip(random.uniform(least, most, shape).astype(low.dtype), low, high)
    else:
        whole = np.dtype(np.int64) if low.dtype == np.bool_ else low.dtype
        ends = low.astype(whole), high.astype(whole)
        chosen = random.integers(*ends, shape, whole, endpoint=True).astype(low.dtype)
    return chosen


def at_bounds(field: Field) -> tuple[NDArray[Any], NDArray[Any]]:
    """The bounds of a field's elements; where there are none, large numbers."""
    low, high = bounds(field)
    if low.dtype.kind != "f":
        return low, high
    return np.nan_to_num(low, neginf=-_LARGE), np.nan_to_num(high, posinf=_LARGE)


def at_either_bound(
    field: Field, random: np.random.Generator, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Each element at its lower or upper bound."""
    return np.where(random.random(shape) < 0.5, *at_bounds(field))  # noqa: PLR2004 - a coin


def constantly(choose: Callable[[Field], NDArray[Any]]) -> Choose:
    """The same for all steps and environments.

    Args:
        choose: Returns what a field has.
    """
    return lambda field, random, shape: np.broadcast_to(choose(field), shape)


class Asked(NamedTuple):
    """What an environment with action masks allows after a result.

    Attributes:
        place: The dict that has its ``action_mask``, with a row, or one per player.
        step: How many steps its episode has had.
        is_over: True if its episode has ended.
    """

    place: dict[str, Any]
    step: int
    is_over: bool


class Actions:
    """Actions that depend on nothing but the environment's id and how many it has taken.

    So environments get the same ones however they are batched. Where these are masked, an allowed
    one follows from each that is not.

    Args:
        spec: Whose actions.
        choose: Makes them.
    """

    def __init__(self, spec: EnvSpec, choose: Choose = uniform) -> None:
        self._fields = spec.spaces.action_fields
        self._players = spec.spaces.most_players
        self._choose = choose
        self._tables: dict[int, list[NDArray[Any]]] = {}

    def of(
        self,
        ids: NDArray[Any],
        taken: NDArray[Any],
        players: NDArray[Any],
        asked: Sequence[Asked] = (),
    ) -> Any:
        """The actions that a native pool takes for these environments.

        Args:
            ids: The environments.
            taken: How many actions each of them has taken already.
            players: How many players each of them has.
            asked: What each of them allows, if they have masks.

        Raises:
            ArgumentError: A mask is wrong; see :func:`envpool.spec.masks.allow`.
        """
        arrays: list[list[NDArray[Any]]] = [[] for _ in self._fields]
        allowed: Sequence[Asked | None] = asked if asked else [None] * len(ids)
        takers = zip(ids.tolist(), taken.tolist(), players.tolist(), allowed, strict=True)
        for env, step, count, allows in takers:
            for field, table, rows in zip(self._fields, self._table(env), arrays, strict=True):
                own = table[step % _PERIOD, : count if field["per_player"] else 1]
                rows.append(self._allowed(field, own, env, allows) if allows else own)
        joined = tuple(map(np.concatenate, arrays))
        return joined[0] if len(joined) == 1 else joined

    def _allowed(self, field: Field, action: NDArray[Any], env: int, asked: Asked) -> NDArray[Any]:
        mask = masks.mask_of(asked.place, field["name"], len(self._fields) == 1)
        whose = (np.full(len(action), each) for each in (env, asked.step, asked.is_over))
        return masks.allow(field, action, mask, masks.Rows(*whose))

    def _table(self, env: int) -> list[NDArray[Any]]:
        """All actions of an environment: for each field, ``[step, player]``."""
        if env not in self._tables:
            random = np.random.default_rng(env)
            self._tables[env] = [
                self._choose(field, random, (_PERIOD, self._players, *field["shape"]))
                for field in self._fields
            ]
        return self._tables[env]
