"""Gymnasium's toy text. NChain and Catch are those of packages that nobody can install any more."""

from __future__ import annotations

from typing import Any

import gymnasium

from envpool.oracles.oracle import Oracle

# Ours, and what Gymnasium calls it.
TASKS = {
    "FrozenLake-v1": "FrozenLake-v1",
    "FrozenLake8x8-v1": "FrozenLake8x8-v1",
    "Taxi-v3": "Taxi-v4",
    "Taxi-v4": "Taxi-v4",
    "CliffWalking-v0": "CliffWalking-v1",
    "CliffWalking-v1": "CliffWalking-v1",
    "tabular/CliffWalking-v0": "CliffWalking-v1",
    "CliffWalkingSlippery-v1": "CliffWalkingSlippery-v1",
    "Blackjack-v1": "Blackjack-v1",
    "tabular/Blackjack-v0": "Blackjack-v1",
}
# Random walks don't come to an end there soon.
LIMITS = {name: 150 for name in TASKS if "Cliff" in name}
_ELSEWHERE = {"NChain-v0": "gym before 0.20", "Catch-v0": "bsuite"}


class ToyText(Oracle):
    """Environments of Gymnasium's registry."""

    always_drawn = ("Taxi",)  # which looks where it last went

    def lack(self, task_id: str) -> str:
        """See :class:`Oracle`."""
        if task_id not in _ELSEWHERE:
            return ""
        return f"it follows the rules of {_ELSEWHERE[task_id]}, whose generator is another one"

    def options(self, task_id: str) -> dict[str, Any]:
        """See :class:`Oracle`."""
        return {"max_episode_steps": LIMITS[task_id]} if task_id in LIMITS else {}

    def make(self, task_id: str, seed: int, **options: Any) -> gymnasium.Env[Any, Any]:
        """See :class:`Oracle`."""
        return gymnasium.make(TASKS[task_id], disable_env_checker=True, **options)


ORACLE = ToyText()
