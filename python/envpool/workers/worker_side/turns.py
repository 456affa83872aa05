"""TurnGame: one of PettingZoo's environments whose agents act one after the other (``AECEnv``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool.workers.worker_side.agents import AgentsEnvironment


class TurnGame(AgentsEnvironment):
    """A game with the methods of Gymnasium's environments, whose action is that of who is to move.

    Observations are those of the agent to move, rewards those of the agent that has moved. Infos
    are the agent's own; ``current_player``, its index in ``possible_agents``; and ``rewards`` of
    all (float64). So :class:`envpool.batched.pgx_env.PgxEnv` has it, too. Agents who are out make
    no moves. The game ends when all are out: it is truncated if one of the last was so and nothing
    else, and terminated otherwise.

    Args:
        environment: Has the methods of PettingZoo's ``AECEnv``.

    Raises:
        TypeError: It lacks something.
        ArgumentError: Its agents have different spaces.
    """

    kind, methods = "an AECEnv", ("reset", "step", "observe")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a game.

        Raises:
            ValueError: Nobody plays.
        """
        self.of_agents.reset(seed=seed, options=options)
        if not self._players():
            raise ValueError("all agents are out after reset(), expected some that play")
        return self._seen(np.zeros(len(self._ids)))

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Makes a move, and those of agents who are out by it, who only leave."""
        game = self.of_agents
        mover = self._index(game.agent_selection)
        rewards = self._move(action)
        while (playing := self._players()) and game.agent_selection not in playing:
            rewards += self._move(None)
        is_over = not playing
        # An illegal move counts as both in PettingZoo.
        cut = [each for each, is_cut in game.truncations.items() if is_cut]
        truncated = is_over and not all(game.terminations[each] for each in cut)
        observation, info = self._seen(rewards)
        return observation, float(rewards[mover]), is_over and not truncated, truncated, info

    def _move(self, action: Any) -> NDArray[np.float64]:
        """Steps the game; returns the rewards of all."""
        self.of_agents.step(action)
        rewards = np.zeros(len(self._ids))
        for agent, reward in self.of_agents.rewards.items():
            rewards[self._index(agent)] = reward
        return rewards

    def _players(self) -> list[Any]:
        """The agents who are not out."""
        game = self.of_agents
        out = {each for each in game.agents if game.terminations[each] or game.truncations[each]}
        return [agent for agent in game.agents if agent not in out]

    def _seen(self, rewards: NDArray[np.float64]) -> tuple[Any, dict[str, Any]]:
        """What the agent to move observes, and its infos."""
        game = self.of_agents
        agent = game.agent_selection
        of_all = {"current_player": self._index(agent), "rewards": rewards}
        return game.observe(agent), dict(game.infos.get(agent, {})) | of_all
