"""Gymnasium's toy text."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from envpool.oracles.upstreams import Registered

# NChain and Catch are those of packages that nobody can install any more.
_ELSEWHERE = {"NChain-v0": "gym before 0.20", "Catch-v0": "bsuite"}


class Environments(Registered):
    """Toy text, but for what is known of no package that can be installed."""

    tasks = MappingProxyType(
        {
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
    )
    # Random walks along the cliff don't come to an end soon.
    limits = MappingProxyType({name: 150 for name in tasks if "Cliff" in name})
    always_drawn = ("Taxi",)  # which looks where it last went

    def lack(self, task_id: str) -> str:
        """See :class:`Oracle`."""
        if task_id not in _ELSEWHERE:
            return ""
        return f"it follows the rules of {_ELSEWHERE[task_id]}, whose generator is another one"

    def options(self, task_id: str) -> dict[str, Any]:
        """See :class:`Oracle`."""
        limit = self.limits.get(task_id)
        return {} if limit is None else {"max_episode_steps": limit}
