"""Players: what is different about the results of environments of several agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError
from envpool.spec.infos import FAILURE
from envpool.spec.values import AutoresetMode
from envpool.workers.infos import merge_infos
from envpool.workers.letters import Reply
from envpool.workers.options import PoolOptions
from envpool.workers.pool_side.results import ResultReader
from envpool.workers.spaces import SpaceLeaves


class PlayerReader(ResultReader):
    """Reads results with rows of agents, whose infos stand in ``info["players"]``.

    What comes along with the row of an environment has infos of some of its agents, by the numbers
    of their rows among those of the environment.
    """

    def _with_failure(
        self, info: dict[Any, Any], why: str, native: tuple[Any, ...], row: int
    ) -> dict[Any, Any]:
        infos = native[-1]
        count = np.count_nonzero(infos["players"]["env_id"] == infos["env_id"][row])
        return {agent: info.get(agent, {}) | {FAILURE: why} for agent in range(count)}

    def _with_replies(
        self, native: tuple[Any, ...], replies: Mapping[int, Reply]
    ) -> tuple[Any, ...]:
        observation, *columns, info = native
        players = info["players"]
        merged = _merge(players["env_id"], replies)
        self._own(merged)
        info = info | {"players": merged | players}
        return (self._observation.batch(observation, ()), *columns, info)


def _merge(owners: NDArray[np.int32], replies: Mapping[int, Reply]) -> dict[str, Any]:
    """The infos of agents in one dict, with an entry for each row of theirs.

    Args:
        owners: The environment of each of these rows; those of an environment follow one another.
        replies: What came with the rows of environments.
    """
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))  # every environment has some
    rows = (
        (firsts[row] + i, info) for row, reply in replies.items() for i, info in reply.info.items()
    )
    return merge_infos(len(owners), rows, strict=False)


def require_players(observation: SpaceLeaves, action: SpaceLeaves, options: PoolOptions) -> None:
    """Refuses what environments of several agents cannot have.

    Args:
        observation: The leaves of their observation space.
        action: The leaves of their action space.
        options: How they are to be run.

    Raises:
        ArgumentError: A space, or an option, is not for them.
    """
    who = "environments of several agents"
    if options.raw_infos or options.row_infos:
        raise ArgumentError(
            "a vector environment has one player per environment: for "
            f"{who} there is envpool.make_python()"
        )
    mode = AutoresetMode(options.autoreset_mode)
    if mode is AutoresetMode.SAME_STEP:
        raise ArgumentError(
            f"autoreset_mode is {mode.value!r}, expected another: auto-reset in the same step is "
            "only for environments of one player"
        )
    for name, leaves in (("observation", observation), ("action", action)):
        for leaf in leaves.objects:
            raise ArgumentError(
                f"the {name} space has a part {leaf.space}, which is not an array: {who} have only "
                "arrays"
            )
