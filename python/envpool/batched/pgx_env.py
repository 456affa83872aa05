"""PgxEnv: the games of pgx, one row per game; actions are those of the player to move."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from envpool.batched.ids import import_package
from envpool.batched.jax_batch import JaxEnv, import_jax
from envpool.batched.jax_spaces import space_of


class PgxEnv(JaxEnv):
    """A game of pgx.

    Observations are those of the player to move, rewards those of the player who has moved. The
    infos are ``current_player``, ``action_mask`` (int8) and ``rewards`` of all players.

    Args:
        game: One of pgx's environments.
    """

    def __init__(self, game: Any) -> None:
        jax = import_jax()
        key = jax.random.PRNGKey(0)
        first = jax.eval_shape(game.init, key)
        self._game = game
        self.loops = game.id == "go_19x19"  # three times faster than as a batch
        self.observation_space = space_of(first.observation)
        self.action_space = spaces.Discrete(int(game.num_actions))
        players = int(game.num_players)
        self.info_space = spaces.Dict(
            {
                "current_player": spaces.Discrete(players, dtype=np.int32),
                "action_mask": spaces.MultiBinary(int(game.num_actions)),
                "rewards": spaces.Box(-np.inf, np.inf, (players,), np.float32),
            }
        )
        try:
            jax.eval_shape(game.step, first, 0)
        except Exception:  # what pgx raises differs by game
            self.takes_keys = True

    def reset(self, key: Any) -> tuple[Any, Any, Any]:
        """See :meth:`JaxEnv.reset`."""
        state = self._game.init(key)
        return state, state.observation, self._info(state)

    def step(self, state: Any, action: Any, key: Any = None) -> tuple[Any, ...]:
        """See :meth:`JaxEnv.step`."""
        mover = state.current_player
        state = self._game.step(state, action.astype(np.int32), key)
        reward = state.rewards[mover]
        info = self._info(state)
        return state, state.observation, reward, state.terminated, state.truncated, info

    def _info(self, state: Any) -> dict[str, Any]:
        return {
            "current_player": state.current_player,
            "action_mask": state.legal_action_mask.astype(np.int8),
            "rewards": state.rewards,
        }


def make_pgx(name: str, **kwargs: Any) -> PgxEnv:
    """The game of this name in pgx, such as ``"go_9x9"``; with options: that of its class.

    Raises:
        ImportError: pgx is not installed.
    """
    pgx = import_package("pgx", "pgx")
    if name.startswith("go_") and (kwargs or name == "go_13x13"):
        go = import_package("pgx", "pgx.go")
        return PgxEnv(go.Go(size=int(name.rpartition("x")[2]), **kwargs))
    return PgxEnv(pgx.make(name, **kwargs))
