"""CopiedSlots: the slots of a rollout that stores each frame once, copied from a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from envpool.errors import ArgumentError
from envpool.rollouts.arrays import Columns
from envpool.rollouts.beginnings import Beginnings
from envpool.rollouts.frame_store import FrameStore, frames_of
from envpool.rollouts.lazy_frames import LazyFrames


class CopiedSlots:
    """Copies a batch after each step.

    Args:
        pool: The pool.
        columns: What a batch has.
        batch: Returns a column of the batch, of shape ``(num_envs, ...)``, by its name.
        num_slots: For how many steps there is room.

    Raises:
        ArgumentError: There are no frames to share.
    """

    def __init__(
        self, pool: Any, columns: Columns, batch: Callable[[str], Any], num_slots: int
    ) -> None:
        self._beginnings = Beginnings(pool)
        self._is_whole = True
        self._batch = {name: batch(name) for name in columns}
        self._stores: dict[str, FrameStore] = {}
        self._arrays: dict[str, Any] = {}
        numbers = np.arange(num_slots * pool.num_envs).reshape(num_slots, -1)
        for name, (dtype, shape, _, _) in columns.items():
            count = frames_of(pool._spec, shape) if name.startswith("obs.") else 1
            if count > 1:
                store = FrameStore(num_slots, pool.num_envs, shape, dtype, count)
                self._stores[name], self._arrays[name] = store, LazyFrames(store, numbers)
            else:
                self._arrays[name] = np.zeros((num_slots, pool.num_envs, *shape), dtype)
        if not self._stores:
            raise ArgumentError(
                "lazy_frames is True, but the pool's observations are no stacks of frames: leave "
                "it out"
            )

    def column(self, name: str) -> Any:
        """A column of all slots, of shape ``(num_slots, num_envs, ...)``."""
        return self._arrays[name]

    def keep(self, slot: int) -> None:
        """Copies the batch, which is the first one of a rollout if the slot is 0.

        Raises:
            RuntimeError: Ctrl-C has interrupted the copy of a slot before.
        """
        if slot > 0 and not self._is_whole:
            raise RuntimeError("the rollout's last call was interrupted: reset() it")
        self._is_whole = False
        batch = self._batch
        ended = batch["@terminated"] | batch["@truncated"]
        if slot == 0:
            begins = np.ones_like(ended)
            self._beginnings.begin(ended, batch["@elapsed_step"])
        else:
            begins = self._beginnings.of_step(ended, batch["@elapsed_step"])
        envs = np.flatnonzero(ended)
        for name, array in self._arrays.items():
            if name in self._stores:
                self._stores[name].keep(slot, batch[name], begins)
            elif not name.startswith(("final_", "@final_")):
                array[slot] = batch[name]
            elif len(envs):
                array[slot, envs] = batch[name][envs]
        self._is_whole = True
