"""Games of turns that step as a batch, such as pgx's, in PettingZoo's API.

>>> from envpool.pettingzoo import AECEnv
>>> game = AECEnv("pgx:tic_tac_toe")
>>> game.reset(seed=1)
>>> game.observe(game.agent_selection)["action_mask"].sum()
9
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from envpool.batched.ids import batched_source
from envpool.errors import ArgumentError, shown
from envpool.spec.fields import row_of
from envpool.spec.masks import NAME
from envpool.tasks.registration import make_batched

try:
    from pettingzoo.utils.env import AECEnv as _AECEnv
except ImportError as error:
    raise ImportError(f"envpool.pettingzoo needs pip install pettingzoo ({error})") from error

__all__ = ["AECEnv"]


class AECEnv(_AECEnv):  # type: ignore[misc]
    """One game as an ``AECEnv`` of PettingZoo, whose agents are ``player_0``, ``player_1``, ...

    Observations are dicts with the keys ``observation`` and ``action_mask``, as in PettingZoo's
    classic games. :meth:`observe` knows what an agent saw when it was last to move, and zeros
    before.

    Args:
        source: The game, such as ``"pgx:connect_four"`` or EnvPool's id ``"ConnectFour-v1"``; or
            what else :func:`envpool.make_batched` takes, with the infos ``current_player``,
            ``action_mask`` and ``rewards`` of all players.
        **options: Of :func:`envpool.make_batched`, but for those of several environments.

    Raises:
        ArgumentError: It is no game of turns, because it lacks one of the infos.
        ImportError: A package is missing.
    """

    render_mode = None

    def __init__(self, source: Any, **options: Any) -> None:
        name = str(source) if isinstance(source, str) else getattr(source, "__name__", "game")
        source = (batched_source(source) or source) if isinstance(source, str) else source
        self._pool = make_batched(source, num_envs=1, autoreset_mode="Disabled", **options)
        info_space = self._pool.spec.interface.info_space
        infos = {} if info_space is None else info_space.spaces
        for key in ("current_player", NAME, "rewards"):
            if key not in infos:
                self.close()
                raise ArgumentError(f"{shown(name)} has no info {key!r}, which games of turns have")
        self.metadata: dict[str, Any] = {
            "name": name,
            "render_modes": [],
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{i}" for i in range(infos["rewards"].shape[0])]
        parts = {"observation": self._pool.observation_space, NAME: infos[NAME]}
        agents = self.possible_agents
        self.observation_spaces = {agent: spaces.Dict(parts) for agent in agents}
        self.action_spaces = {agent: spaces.Discrete(infos[NAME].shape[0]) for agent in agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """What an agent observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The moves of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game; without a seed, with the next random numbers. It has no options."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._seen: dict[str, Any] = {}
        self._see(*self._pool.reset(seed=seed))

    def step(self, action: Any) -> None:
        """Makes a move of ``agent_selection``.

        Raises:
            ArgumentError: There is no such move. One that is illegal ends the game.
        """
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            self._was_dead_step(action)
            return
        observation, _, terminated, truncated, info = self._pool.step(np.array([action]))
        self._cumulative_rewards[mover] = 0.0
        self.rewards = dict(zip(self.agents, info["rewards"][0].tolist(), strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, bool(terminated[0]))
        self.truncations = dict.fromkeys(self.agents, bool(truncated[0]))
        self._see(observation, info)
        self._deads_step_first()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent saw when it was last to move."""
        if agent not in self._seen:
            space = self.observation_space(agent)
            return {name: np.zeros(part.shape or (), part.dtype) for name, part in space.items()}
        seen: dict[str, Any] = self._seen[agent]
        return seen

    def close(self) -> None:
        """Ends the game."""
        self._pool.close()

    def _see(self, observation: Any, info: dict[str, Any]) -> None:
        """Keeps what the player to move observes."""
        self.agent_selection = self.possible_agents[int(info["current_player"][0])]
        seen = {"observation": row_of(observation, 0), NAME: info[NAME][0]}
        self._seen[self.agent_selection] = seen
