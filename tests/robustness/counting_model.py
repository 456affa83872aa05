"""What a pool of Counting environments must do, in plain Python: the oracle of the fuzz tests."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class State(NamedTuple):
    """All that a snapshot is about. Counting never draws: its generator is as it was seeded."""

    seed: int
    count: int = 0  # the observation
    episode: int = 0
    elapsed: int = 0
    episode_return: float = 0.0
    is_over: bool = True
    was_reset: bool = False  # ever


class Row(NamedTuple):
    """A row of a batch."""

    count: int
    episode: int
    elapsed: int
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    final: tuple[int, int, int] | None = None  # its last count, episode and elapsed


class Counting:
    """One environment, with what the executor does around it.

    Args:
        length: Its option ``episode_length``.
        limit: ``max_episode_steps``.
        mode: ``autoreset_mode``.
        seed: Of its random generator.
    """

    def __init__(self, length: int, limit: int, mode: str, seed: int) -> None:
        self.length, self.limit, self.mode = length, limit, mode
        self.state = State(seed)

    @property
    def can_step(self) -> bool:
        return self.mode != "Disabled" or not self.state.is_over

    def reset(self, seed: int | None = None, start: int = 0) -> Row:
        own = self.state
        seed = own.seed if seed is None else seed
        self.state = State(seed, start, own.episode + 1, is_over=False, was_reset=True)
        return self._row()

    def step(self, action: int) -> Row:
        own = self.state
        if own.is_over:
            return self.reset()
        count, elapsed = own.count + 1, own.elapsed + 1
        terminated, truncated = count >= self.length, elapsed >= self.limit
        self.state = own._replace(
            count=count,
            elapsed=elapsed,
            episode_return=own.episode_return + action,
            is_over=terminated or truncated,
        )
        result = {"reward": action, "terminated": terminated, "truncated": truncated}
        if self.state.is_over and self.mode == "SameStep":
            final = count, own.episode, elapsed
            return self.reset()._replace(**result, final=final)
        return self._row()._replace(**result)

    def _row(self) -> Row:
        return Row(self.state.count, self.state.episode, self.state.elapsed)


def rows_of(results: tuple[Any, ...]) -> list[Row]:
    """The rows of what ``step`` or ``recv`` returned; of ``reset``, they lack what it lacks."""
    obs, *rest, info = results
    columns = [obs[:, 0], info["episode"], info["elapsed_step"], *rest]
    rows = [Row(*values) for values in zip(*(c.tolist() for c in columns), strict=True)]
    for row in np.flatnonzero(info.get("_final_obs", [])):
        infos = info["final_info"]
        assert infos["_episode"][row] and infos["_elapsed_step"][row]
        final = info["final_obs"][row][0], infos["episode"][row], infos["elapsed_step"][row]
        rows[row] = rows[row]._replace(final=tuple(int(value) for value in final))
    return rows
