"""ArraySpec: one array of a batch, as EnvPool describes it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from envpool.spec.spaces import Field, bounds


@dataclasses.dataclass(frozen=True)
class ArraySpec:
    """One array of a batch. A -1 in the shape stands for the players of an environment."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    minimum: Any
    maximum: Any
    is_discrete: bool = False


def array_spec(field: Field, *, per_player: bool = False) -> ArraySpec:
    """The array of a field, without the batch axis.

    Args:
        field: The field.
        per_player: Treat it as if it had a row per player.
    """
    low, high = bounds(field)
    has_players = per_player or field["per_player"]
    uniform = low.size > 0 and bool((low == low.flat[0]).all() and (high == high.flat[0]).all())
    return ArraySpec(
        dtype=np.dtype(field["dtype"]),
        shape=(-1, *field["shape"]) if has_players else field["shape"],
        minimum=low.flat[0].item() if uniform else low,
        maximum=high.flat[0].item() if uniform else high,
        is_discrete=field["space"] == "discrete",
    )
