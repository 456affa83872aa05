"""The columns of a batch by the native pool's names for them (cpp/executor/results/layout.h)."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool.spec.spaces import Field


def _scalar(name: str, dtype: str, low: float = -np.inf, high: float = np.inf) -> Field:
    return Field(
        name=name,
        dtype=dtype,
        shape=(),
        low=[low],
        high=[high],
        space="box",
        per_player=name in {"players.env_id", "reward", "discount"},
    )


# What the pool itself writes, whatever the environment.
_OF_THE_POOL = {
    f"@{field['name']}": field
    for field in (
        _scalar("env_id", "int32"),
        _scalar("players.env_id", "int32"),
        _scalar("task", "int32"),
        _scalar("elapsed_step", "int32"),
        _scalar("reward", "float32"),
        _scalar("terminated", "bool"),
        _scalar("truncated", "bool"),
        _scalar("step_type", "int32"),
        _scalar("discount", "float32", 0.0, 1.0),
        _scalar("episode_return", "float64"),
        _scalar("episode_length", "int64"),
        _scalar("episode_done", "bool"),
    )
}


def columns_of(described: dict[str, Any]) -> dict[str, Field]:
    """All columns that results can have, but for those of final rows.

    Args:
        described: What ``_core.EnvType.spec`` tells of an environment.
    """
    observation = {f"obs.{field['name']}": field for field in described["observation"]}
    info = {f"info.{field['name']}": field for field in described["info"]}
    return observation | info | _OF_THE_POOL
