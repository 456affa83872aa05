r"""PPO learns a board game by playing against itself.

    pip install "envpool-next[examples,pgx]"
    python examples/self_play.py                     # Connect Four, some minutes on two cores
    python examples/self_play.py --game tic_tac_toe --total-moves 100000

The games are pgx's, which JAX compiles; docs/turns.md tells how they are played in a pool. One
network makes the moves of both players: what it observes is the board as the player to move sees
it, and the value that it learns is that player's. All of it is the PPO of examples/ppo.py, with one
difference. What a position is worth to the next player, it is worth to the player before with the
other sign. So the discount from one move to the next is negative.

Now and then the agent plays against a random player, and the table shows how that went. At the end
it prints a game against itself, with its best moves.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import torch
import typer
from numpy.typing import NDArray
from ppo import FOR_VECTORS, Collector, RunningScale, advantages, learn, make_agent, seen

import envpool

DISCOUNT = -0.99
OPPONENT_GAMES = 400

# Takes observations and infos, a row per game; returns moves.
Player = Callable[[Any, dict[str, Any]], NDArray[Any]]


class Game(enum.StrEnum):
    """Games in which the players move in turn, and a board has two kinds of stones."""

    connect_four = "connect_four"
    tic_tac_toe = "tic_tac_toe"
    othello = "othello"


class Board(RunningScale):
    """Scales nothing: a board has zeros and ones, and what was rare so far is no outlier."""

    def add(self, rows: NDArray[Any]) -> None:
        """Does nothing."""

    def apply(self, rows: NDArray[Any]) -> NDArray[np.float32]:
        """The rows as the network takes them."""
        return rows.astype(np.float32)


def random_player(seed: int) -> Player:
    """One that makes legal moves at random."""
    random = np.random.default_rng(seed)
    return lambda _, info: (random.random(info["action_mask"].shape) * info["action_mask"]).argmax(
        1
    )


def best_player(collector: Collector) -> Player:
    """The agent with the moves that it thinks most of."""

    @torch.no_grad()
    def play(observation: Any, info: dict[str, Any]) -> NDArray[Any]:
        observation, mask = seen(observation, info)
        assert collector.observation_scale is not None and mask is not None
        scaled = torch.from_numpy(collector.observation_scale.apply(observation))
        policy, _ = collector.agent(scaled, torch.from_numpy(mask))
        moves: NDArray[Any] = policy.mode.numpy()
        return moves

    return play


def play_games(pool: Any, players: tuple[Player, Player]) -> NDArray[Any]:
    """Plays a game in each environment; returns what the first of the players got in each.

    That is player 0 in every second game, and player 1 in the others.
    """
    observation, info = pool.reset()
    rows = np.arange(pool.num_envs)
    side = rows % 2
    got, is_over = np.zeros(pool.num_envs), np.zeros(pool.num_envs, bool)
    while not is_over.all():
        first, second = (player(observation, info) for player in players)
        moves = np.where(info["current_player"] == side, first, second)
        observation, _, terminated, truncated, info = pool.step(moves)
        got += np.where(is_over, 0.0, info["rewards"][rows, side])
        is_over |= terminated | truncated
    return got


def print_row(moves: int, seconds: float, got: NDArray[Any]) -> None:
    """Prints a row of the table: how games ended in which the agent got these rewards."""
    won, drawn, lost = (got > 0).mean(), (got == 0).mean(), (got < 0).mean()
    print(f"{moves:8,} {seconds:8.0f} {won:28.1%} {drawn:6.1%} {lost:5.1%}", flush=True)


def show_game(task: str, player: Player, seed: int) -> None:
    """Prints a game of a player against itself, the boards side by side."""
    boards = []
    with envpool.make(task, "gymnasium", num_envs=1, seed=seed) as pool:
        observation, info = pool.reset()
        is_over, colour = False, 0
        while not is_over:
            observation, _, terminated, truncated, info = pool.step(player(observation, info))
            is_over, colour = bool(terminated[0] or truncated[0]), 1 - colour
            mine, others = np.moveaxis(observation[0], -1, 0)
            stones = np.where(mine, "XO"[colour], np.where(others, "OX"[colour], "."))
            boards.append(["".join(row) for row in stones])
    for start in range(0, len(boards), 8):
        print()
        for rows in zip(*boards[start : start + 8], strict=True):
            print("  ".join(rows))


def main(
    game: Game = Game.connect_four,
    total_moves: Annotated[int, typer.Option(min=1)] = 600_000,
    num_envs: Annotated[int, typer.Option(min=2)] = 256,
    rollout_moves: Annotated[int, typer.Option(min=1, help="Moves per update.")] = 8192,
    rows: Annotated[int, typer.Option(min=1, help="Of the table.")] = 10,
    learning_rate: float = 1e-3,
    entropy_bonus: float = 0.05,
    seed: int = 1,
) -> None:
    """Trains PPO on a board game by playing against itself."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    task, start, moves, next_row = f"pgx:{game.value}", time.perf_counter(), 0, 0
    pool = envpool.make(
        task, "gymnasium", num_envs=num_envs, seed=seed, record_episode_statistics=True
    )
    against = envpool.make(task, "gymnasium", num_envs=OPPONENT_GAMES, seed=seed + 10_000)
    agent = make_agent(pool)
    optimizer = torch.optim.Adam(agent.parameters(), lr=learning_rate, eps=1e-5)
    collector = Collector(pool, agent, DISCOUNT)
    collector.observation_scale = Board()
    print("   moves  seconds  against a random player: won  drawn  lost")
    with pool, against:
        collector.step()  # the first positions; nothing was decided before
        while True:
            if moves >= next_row:
                got = play_games(against, (best_player(collector), random_player(seed)))
                print_row(moves, time.perf_counter() - start, got)
                next_row += max(total_moves // rows, 1)
            if moves >= total_moves:
                break
            batches, end = [], moves + rollout_moves
            while moves < end:
                transitions, _ = collector.step()
                batches.append(transitions)
                moves += len(transitions.env_id)
            advantage = advantages(batches, num_envs, DISCOUNT)
            left = max(1 - moves / total_moves, 0.0)
            optimizer.param_groups[0]["lr"] = learning_rate * left
            learn(agent, optimizer, batches, advantage, FOR_VECTORS, entropy_bonus)
        show_game(task, best_player(collector), seed)


if __name__ == "__main__":
    typer.run(main)
