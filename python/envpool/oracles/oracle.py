"""Oracle: makes the environments that a family's tasks are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np

_LONGEST = 12  # steps for which an action is repeated


class Oracle:
    """What a module of this package has for its family, as ``ORACLE``.

    Attributes:
        always_drawn: Parts of the ids of tasks where upstream's pictures tell of those before: ours
            are what they are if every state has been drawn once.
        drawn_last: The same of tasks where upstream goes on otherwise once it has drawn: there is
            one picture, at the end.
    """

    always_drawn: tuple[str, ...] = ()
    drawn_last: tuple[str, ...] = ()

    def lack(self, task_id: str) -> str:
        """Why a task has nothing to be compared with; empty if it has.

        Args:
            task_id: A task of the family.
        """
        return ""

    def options(self, task_id: str) -> dict[str, Any]:
        """What our task has to be made with to be the same; nothing if its defaults are.

        Args:
            task_id: The task.
        """
        return {}

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """Makes upstream's environment.

        Args:
            task_id: The task, by our id.
            seed: What it will first be reset with.
            **options: By our names: what :meth:`options` says, and ``render_mode``.
        """
        raise NotImplementedError

    def actions(self, space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
        """Batches of actions, without an end.

        Args:
            space: Upstream's batched space.
            seed: Of the actions.
        """
        return sampled(space, seed)

    def picture(self, env: gymnasium.Env[Any, Any]) -> Any:
        """What upstream's environment draws of itself: uint8 ``[height, width, 3]``.

        Args:
            env: One that :meth:`make` has made.
        """
        return env.render()


def sampled(space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
    """Random actions.

    Args:
        space: Of the actions.
        seed: Of the generator.
    """
    space.seed(seed)
    while True:
        yield space.sample()


def repeated(space: gymnasium.Space[Any], seed: int) -> Iterator[Any]:
    """Random actions, each for some steps: others would cancel each other out.

    Args:
        space: Of the actions.
        seed: Of the generator.
    """
    rng = np.random.default_rng(seed)
    for action in sampled(space, seed):
        for _ in range(rng.integers(1, _LONGEST)):
            yield action
