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
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        mode = parse_mode(pool._spec.config.autoreset_mode)
        self._is_in_step = mode is AutoresetMode.SAME_STEP
        self.begin()

    def begin(self, ended: NDArray[np.bool_] | None = None) -> None:
        """Begins with a batch whose rows are all told to be beginnings.

        Args:
            ended: Where it has ended an episode; nowhere, if it is of resets.
        """
        self._ended = np.zeros(self._pool.num_envs, np.bool_) if ended is None else ended.copy()
        self._restores = self._pool._restores

    def of_step(
        self, ended: NDArray[np.bool_], elapsed_step: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """True where a row is the first one of an episode, or follows another state.

        Args:
            ended: Where the step has ended an episode.
            elapsed_step: That of its rows.
        """
        # A failure that is survived ends an episode with the row of a reset.
        begins = ended if self._is_in_step else self._ended | (ended & (elapsed_step == 0))
        if self._restores != self._pool._restores:
            self._restores, begins = self._pool._restores, np.ones_like(ended)
        self._ended = ended.copy()
        return begins
