"""Pools with environments of several tasks, which speak the same APIs as others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from envpool.spec.multi_spec import MultiSpec


class MultiPool:
    """What such a pool has beside what others have. Results have ``info["task"]``, int32."""

    _spec: MultiSpec

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks: ``info["task"]`` is an index of these."""
        return self._spec.tasks

    @property
    def task_of_env(self) -> NDArray[np.int32]:
        """The index of each environment's task, of shape ``(num_envs,)``."""
        return np.array(self._spec.kind_of, np.int32)

    @property
    def action_spaces(self) -> tuple[gymnasium.Space[Any], ...]:
        """Gymnasium's space of an action of each task; ``action_space`` is the largest of them."""
        return self._spec.action_spaces

    @property
    def action_masks(self) -> NDArray[np.bool_] | None:
        """Which actions each task has, bool of shape ``(len(tasks), action_space.n)``.

        ``action_masks[info["task"]]`` are those of a batch. None where actions are not discrete.
        """
        return self._spec.action_masks
