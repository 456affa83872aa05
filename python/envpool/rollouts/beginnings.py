"""Beginnings: which rows of results do not go on where the rows before have ended."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.spec.values import AutoresetMode, parse_mode


class Beginnings:
    """Tells of each step which rows are those of resets, or of other states.

    Args:
        pool: The pool, of which all results are told.

    Attributes:
        is_restored: True if ``set_state`` was called before the step that was told last.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        mode = parse_mode(pool._spec.config.autoreset_mode)
        self._is_in_step = mode is AutoresetMode.SAME_STEP
        self.begin(np.zeros(pool.num_envs, np.bool_), np.zeros(pool.num_envs, np.int32))

    def begin(self, ended: NDArray[np.bool_], elapsed_step: NDArray[np.int32]) -> None:
        """Goes on from rows that are all beginnings; arguments as for :meth:`of_step`."""
        self._ended, self._elapsed_step = ended.copy(), elapsed_step.copy()
        self._restores = self._pool._restores
        self.is_restored = False

    def of_step(
        self, ended: NDArray[np.bool_], elapsed_step: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """True where a row is the first one of an episode, or follows another state.

        Args:
            ended: Where the step has ended an episode.
            elapsed_step: That of its rows.
        """
        # A failure that is survived ends an episode with the row of a reset, and is not counted.
        has_failed = ended & (elapsed_step == self._elapsed_step)
        begins = ended if self._is_in_step else self._ended | has_failed
        self._ended, self._elapsed_step = ended.copy(), elapsed_step.copy()
        self.is_restored = self._restores != self._pool._restores
        self._restores = self._pool._restores
        return np.ones_like(ended) if self.is_restored else begins
