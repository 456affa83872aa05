"""Pools that recorded environments run in once more, with what a Replayer asks of one."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, EnvironmentFailure
from envpool.flavours.gymnasium import GymnasiumEnvPool
from envpool.flavours.python_pools import drawn
from envpool.spec.plain import RESET_OPTIONS, from_plain
from envpool.workers.pool_side.pool import PythonPool


class ReplayPool(GymnasiumEnvPool):
    """A pool whose native pool is called as it was recorded.

    Rewards are float64, of which the recorded ones are roundings.
    """

    _native_options: ClassVar[dict[str, Any]] = {"reward_dtype": "float64"}

    def restart(self, seed: int | None, options: dict[str, Any], env: int) -> Any:
        """Resets an environment, with options as native code has them."""
        return self._pool.reset([env], [] if seed is None else [seed], options, False)

    def choose(self, episode: Any, env: int) -> None:
        """Says what an environment's next episode begins with, as it was recorded."""
        self._pool.set_next([episode], [env])

    def observe(self) -> Any:
        """The observations and infos of all environments as they are."""
        return self._pool.reset([], [], {}, True)

    def change(self, options: dict[str, Any], env: int) -> None:
        """Gives an environment other options, as native code has them."""
        self._pool.set_options([options], [env])


class PythonReplayPool:
    """One environment written in Python.

    Args:
        pool: What runs it, and resets it in the step after an episode's end.
    """

    def __init__(self, pool: PythonPool) -> None:
        self._pool = pool
        self.get_state = pool.get_state
        self.close = pool.close

    def restart(self, seed: int | None, options: dict[str, Any], _: int) -> Any:
        """Resets the environment, with options as the recording has them."""
        given = from_plain(options[RESET_OPTIONS]) if options else None
        return self._pool.reset(None, [] if seed is None else [seed], given, False)

    def choose(self, episode: Any, _: int) -> None:
        """Says what the environment's next episode begins with, as it was recorded."""
        seed, options, _ = episode
        given = from_plain(options[RESET_OPTIONS]) if options else None
        self._pool.set_next([(seed, given, None)], None)

    def step(self, action: Any, _: Any) -> Any:
        """Steps the environment.

        Args:
            action: An array with one row, or a tuple with one for each leaf of the space.
        """
        arrays = action if isinstance(action, tuple) else (action,)
        return self._pool.step(self._pool.action_leaves.assemble(arrays), None)

    def render(self) -> NDArray[np.uint8]:
        """A picture of it, with an axis of length 1 in front.

        Raises:
            ArgumentError: It returns none.
        """
        try:
            return drawn(self._pool)
        except EnvironmentFailure as failure:  # which is not the episode's
            raise ArgumentError(f"the environment cannot be drawn: {failure}") from failure
