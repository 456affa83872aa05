"""ObservationRows: the observations of a pool's steps, in memory that has each frame once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.rollouts.arrays import pairs
from envpool.rollouts.frame_store import FrameStore, frames_of
from envpool.spec.fields import map_leaves


class ObservationRows:
    """Keeps a row for each step, and tells where rows go on where those before have ended.

    Args:
        pool: The pool, of which all results are kept.
        num_rows: How many rows there are; see :class:`FrameStore`.

    Attributes:
        stores: The arrays of observations, in dicts and tuples as these are.
        is_restored: True if ``set_state`` was called before the step that was kept last.
    """

    def __init__(self, pool: Any, num_rows: int) -> None:
        spec = pool._spec
        fields = spec.spaces.columns

        def make_store(name: str) -> FrameStore:
            dtype, shape = fields[name]["dtype"], fields[name]["shape"]
            return FrameStore(num_rows, pool.num_envs, shape, dtype, frames_of(spec, shape))

        self._pool = pool
        self._is_in_step = spec.config.autoreset_mode == "SameStep"
        self._restores: int = pool._restores
        # Of the row before.
        self._ended = np.zeros(pool.num_envs, np.bool_)
        self._elapsed_step = np.zeros(pool.num_envs, np.int32)
        self.stores: Any = map_leaves(make_store, spec.spaces.contents.observation)

    def keep(
        self,
        row: int,
        observation: Any,
        ended: NDArray[np.bool_],
        elapsed_step: NDArray[np.int32],
        is_first: bool = False,
    ) -> NDArray[np.bool_]:
        """Keeps the row of a step.

        Args:
            row: Which one.
            observation: The observations.
            ended: Where the step has ended an episode.
            elapsed_step: That of its rows.
            is_first: True if no row comes before.

        Returns:
            True where the row is the first one of an episode, or follows another state.
        """
        self.is_restored = not is_first and self._restores != self._pool._restores
        if is_first or self.is_restored:
            begins = np.ones_like(ended)
        elif self._is_in_step:
            begins = ended
        else:  # A failure that is survived ends an episode with an uncounted row, of a reset.
            begins = self._ended | (ended & (elapsed_step == self._elapsed_step))
        self._ended, self._elapsed_step = ended.copy(), elapsed_step.copy()
        self._restores = self._pool._restores
        for store, stacks in pairs(self.stores, observation):
            store.keep(row, stacks, begins)
        return begins

    def keep_last(self, row: int, observation: Any, envs: NDArray[np.intp]) -> None:
        """Keeps last observations of these environments' episodes; see :class:`FrameStore`."""
        for store, stacks in pairs(self.stores, observation):
            store.keep_last(row, envs, stacks[envs])
