"""CopiedSlots: the slots of a rollout that stores each frame once, copied from a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError
from envpool.rollouts.arrays import pairs
from envpool.rollouts.frame_store import FrameStore
from envpool.rollouts.lazy_frames import LazyFrames
from envpool.rollouts.observation_rows import ObservationRows
from envpool.spec.fields import map_leaves


class CopiedSlots:
    """Copies a batch after each step.

    Args:
        pool: The pool.
        batch: The columns of the batch, of shape ``(num_envs, ...)``.
        num_slots: For how many steps there is room.

    Attributes:
        columns: The columns of all slots, of shape ``(num_slots, num_envs, ...)``.

    Raises:
        ArgumentError: There are no frames to share.
    """

    def __init__(self, pool: Any, batch: dict[str, NDArray[Any]], num_slots: int) -> None:
        rows = self._rows = ObservationRows(pool, num_slots)
        names = pool._spec.spaces.contents.observation
        stores: dict[str, FrameStore] = dict(pairs(names, rows.stores))
        if all(store.num_frames == 1 for store in stores.values()):
            raise ArgumentError(
                "lazy_frames is True, but the pool's observations are no stacks of frames: leave "
                "it out"
            )
        self._batch = batch
        self._observation = map_leaves(batch.__getitem__, names)
        self._arrays: dict[str, Any] = {
            name: np.zeros((num_slots, *column.shape), column.dtype)
            for name, column in batch.items()
            if name not in stores
        }
        numbers = np.arange(num_slots * pool.num_envs).reshape(num_slots, -1)
        self.columns = self._arrays | {
            name: LazyFrames(store, numbers)
            if store.num_frames > 1
            else store.newest.reshape(*numbers.shape, *store.shape)
            for name, store in stores.items()
        }

    def keep(self, slot: int) -> None:
        """Copies the batch, which is the first one of a rollout if the slot is 0."""
        batch = self._batch
        ended, elapsed_step = batch["@terminated"] | batch["@truncated"], batch["@elapsed_step"]
        self._rows.keep(slot, self._observation, ended, elapsed_step, is_first=slot == 0)
        envs = np.flatnonzero(ended)
        for name, array in self._arrays.items():
            if not name.startswith(("final_", "@final_")):
                array[slot] = batch[name]
            elif len(envs):
                array[slot, envs] = batch[name][envs]
