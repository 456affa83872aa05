"""SyncVectorEnv: the caller's environments, run one after the other in its thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from envpool.spec.autoreset import AutoresetMode
from envpool.vector.base import PoolVectorEnv
from envpool.vector.spaces import ObservationMode


class SyncVectorEnv(PoolVectorEnv):
    """Does what ``gymnasium.vector.SyncVectorEnv`` does: runs environments in the calling thread.

    If an environment raises an exception, the others are stepped all the same, and it cannot be
    used until it is reset.

    Args:
        env_fns: A function for each environment that makes it. They are called in order, in this
            thread.
        copy: For compatibility. Results belong to the caller: no later call writes to them.
        observation_mode: How observations are batched. ``"same"``: the environments have equal
            observation spaces. ``"different"``: their spaces only have the same shape and dtype. A
            pair of spaces: these are the spaces of the batch and of one environment.
        autoreset_mode: What follows the end of an episode: an ``AutoresetMode``, or its name.

    Attributes:
        envs: The environments.

    Raises:
        RuntimeError: The environments' spaces do not fit together.
        ValueError: There are no environments, or no such mode.
        Exception: What one of ``env_fns`` raises.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        copy: bool = True,
        observation_mode: ObservationMode = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        super().__init__(env_fns, copy, observation_mode, autoreset_mode, num_workers=0)
        self.envs: list[Any] = self._pool.environments
