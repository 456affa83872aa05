"""LazyFrames: observations that are put together when they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.rollouts.frame_store import FrameStore


class LazyFrames:
    """Stacked observations of steps and environments, whose frames are stored once.

    An index of steps, or of steps and environments, returns what it would return of an array: a
    copy. So ``observation[3]`` are those of step 3, and ``numpy.asarray(observation)`` are all.

    Args:
        store: The frames.
        numbers: Which of the store's stacks these are, integers of shape ``(steps, num_envs)``.
        made: Makes what an index returns.

    Attributes:
        shape: ``(steps, num_envs, ...)``.
        dtype: That of the frames.
    """

    def __init__(
        self, store: FrameStore, numbers: Any, made: Callable[[Any], Any] | None = None
    ) -> None:
        self._store = store
        self._numbers = numbers
        self._made = made
        self.shape: tuple[int, ...] = (*numbers.shape, *store.shape)
        self.dtype: Any = store.newest.dtype

    def __getitem__(self, index: Any) -> Any:
        stacks = self._store.gather(self._store.references[self._numbers[index]])
        return stacks if self._made is None else self._made(stacks)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("copy is False, expected True: frames are put together in a copy")
        return np.asarray(self[:], dtype)

    def seen_as(self, made: Callable[[Any], Any]) -> LazyFrames:
        """The same over the same memory, with what a function makes of what is read."""
        return LazyFrames(self._store, self._numbers, made)

    def map(self, function: Callable[[Any], Any]) -> LazyFrames:
        """Others, with what a function makes of all memory."""
        return LazyFrames(self._store.map(function), function(self._numbers))
