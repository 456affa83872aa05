"""PythonOnePool: one environment written in Python, run once more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, EnvironmentFailure
from envpool.workers.plain import from_plain
from envpool.workers.pool import RESET_OPTIONS, PythonPool


class PythonOnePool:
    """What a :class:`envpool.recordings.player.Player` asks of a pool, for one environment.

    Args:
        pool: What runs it, and resets it in the step after an episode's end.
    """

    def __init__(self, pool: PythonPool) -> None:
        self._pool = pool
        self._has_failed = False

    def restart(self, seed: int | None, options: dict[str, Any]) -> Any:
        """Resets the environment, with options as the recording has them."""
        given = from_plain(options[RESET_OPTIONS]) if options else None
        self._has_failed = False
        try:
            return self._pool.reset(None, [] if seed is None else [seed], given, False)
        except EnvironmentFailure:
            self._has_failed = True
            raise

    def step(self, action: Any) -> Any:
        """Steps the environment.

        Args:
            action: An array with one row, or a tuple with one for each leaf of the space.

        Raises:
            RuntimeError: It has failed before, and was stepped on when it was recorded.
        """
        if self._has_failed:
            raise RuntimeError("the environment has failed, which it did not when it was recorded")
        try:
            return self._pool.step(action if isinstance(action, tuple) else (action,), None)
        except EnvironmentFailure:
            self._has_failed = True
            raise

    def render(self) -> NDArray[np.uint8]:
        """A picture of it, with an axis of length 1 in front.

        Raises:
            ArgumentError: It returns none.
        """
        try:
            picture = np.stack(self._pool.render())
        except EnvironmentFailure as failure:
            raise ArgumentError(f"the environment cannot be drawn: {failure}") from failure
        if picture.dtype != np.uint8 or picture.shape[3:] != (3,):
            raise ArgumentError(
                "the environment cannot be drawn: its render() returned no picture, expected an "
                "array of uint8 of shape (height, width, 3)"
            )
        return picture

    def get_state(self) -> list[bytes]:
        """A snapshot of it, if it can be saved; see :meth:`PythonPool.get_state`."""
        return self._pool.get_state()

    def close(self) -> None:
        """Ends it."""
        self._pool.close()
