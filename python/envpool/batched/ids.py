"""Ids of environments of JAX's packages: theirs behind a prefix, and EnvPool's for the same."""

from __future__ import annotations

from typing import Any

from envpool.errors import import_or_say

# The packages: our modules whose function make_PACKAGE makes an environment of an id, and what
# installs them.
PACKAGES = {
    "pgx": ("pgx_env", '"envpool-next[pgx]"'),
    "jumanji": ("jumanji_env", '"envpool-next[jumanji]"'),
    "gymnax": ("gymnax_env", "gymnax"),
    "craftax": ("gymnax_env", '"envpool-next[craftax]"'),
    "brax": ("brax_env", "brax"),
    "playground": ("brax_env", "playground"),
    "jaxmarl": ("jaxmarl_env", "jaxmarl"),
}

_GAMES = {
    "AnimalShogi": "animal_shogi",
    "Backgammon": "backgammon",
    "Chess": "chess",
    "ConnectFour": "connect_four",
    "GardnerChess": "gardner_chess",
    "Go9x9": "go_9x9",
    "Go13x13": "go_13x13",
    "Go19x19": "go_19x19",
    "Hex": "hex",
    "KuhnPoker": "kuhn_poker",
    "LeducHoldem": "leduc_holdem",
    "Othello": "othello",
    "Play2048": "2048",
    "Shogi": "shogi",
    "SparrowMahjong": "sparrow_mahjong",
    "TicTacToe": "tic_tac_toe",
}
_JUMANJI = (
    "BinPack-v2",
    "CVRP-v1",
    "Cleaner-v0",
    "FlatPack-v0",
    "Game2048-v1",
    "GraphColoring-v1",
    "JobShop-v0",
    "Knapsack-v1",
    "LevelBasedForaging-v0",
    "MMST-v0",
    "Maze-v0",
    "Minesweeper-v0",
    "MultiCVRP-v0",
    "PacMan-v1",
    "RobotWarehouse-v0",
    "RubiksCube-partly-scrambled-v0",
    "RubiksCube-v0",
    "SearchAndRescue-v0",
    "SlidingTilePuzzle-v0",
    "Snake-v1",
    "Sokoban-v0",
    "Sudoku-v0",
    "Sudoku-very-easy-v0",
    "TSP-v1",
    "Tetris-v0",
)
_CRAFTAX = [f"Craftax-{kind}-v1" for kind in ("Symbolic", "Pixels")]
_CRAFTAX += [f"Craftax-Classic-{kind}-v1" for kind in ("Symbolic", "Pixels")]

# EnvPool's ids, and those of the packages. Connector is another version in Jumanji by now.
ENVPOOL_IDS = {f"{name}-v1": f"pgx:{game}" for name, game in _GAMES.items()}
ENVPOOL_IDS |= {
    f"{prefix}{name}": f"jumanji:{name}" for prefix in ("", "Jumanji/") for name in _JUMANJI
}
ENVPOOL_IDS |= {name: f"craftax:{name}" for name in _CRAFTAX}


def import_package(package: str, module: str) -> Any:
    """A module of one of these packages.

    Raises:
        ImportError: The package is not installed, or does not load.
    """
    how = f"pip install {PACKAGES[package][1]}"
    return import_or_say(
        module, f"environments of {package} need {module}, which does not load ({{}}): {how}"
    )


def batched_source(task_id: str) -> str | None:
    """What :func:`envpool.make_batched` makes of an id; None: it is no such id."""
    if task_id.partition(":")[0] in PACKAGES and ":" in task_id:
        return task_id
    return ENVPOOL_IDS.get(task_id)
