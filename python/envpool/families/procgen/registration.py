"""The games of Procgen, each with the ways of drawing levels that it has."""

from __future__ import annotations

from functools import partial

from envpool.tasks.registration import register_family_task

MODES = {"Easy": 0, "Hard": 1, "Extreme": 2, "Memory": 10, "Exploration": 20}

_ALL = ("Easy", "Hard")
# By game: its modes, and after how many steps the engine ends an episode.
GAMES = {
    "bigfish": (_ALL, 6000),
    "bossfight": (_ALL, 4000),
    "caveflyer": ((*_ALL, "Memory", "Exploration"), 1000),
    "chaser": ((*_ALL, "Extreme"), 1000),
    "climber": ((*_ALL, "Exploration"), 1000),
    "coinrun": ((*_ALL, "Exploration"), 1000),
    "dodgeball": ((*_ALL, "Extreme", "Memory"), 1000),
    "fruitbot": (_ALL, 1000),
    "heist": ((*_ALL, "Memory", "Exploration"), 1000),
    "jumper": ((*_ALL, "Memory", "Exploration"), 1000),
    "leaper": ((*_ALL, "Extreme", "Exploration"), 500),
    "maze": ((*_ALL, "Memory", "Exploration"), 500),
    "miner": ((*_ALL, "Memory"), 1000),
    "ninja": ((*_ALL, "Exploration"), 1000),
    "plunder": (_ALL, 4000),
    "starpilot": ((*_ALL, "Extreme"), 1000),
}

# Where the engine gives a mode another time.
_STEPS = {("jumper", "Memory"): 2000}

_register = partial(register_family_task, "envpool.families.procgen")


def steps_of(game: str, mode: str) -> int:
    """After how many steps the engine ends an episode.

    Args:
        game: Of :data:`GAMES`.
        mode: Of :data:`MODES`.
    """
    return _STEPS.get((game, mode), GAMES[game][1])


for _game, (_modes, _) in GAMES.items():
    for _mode in _modes:
        _register(
            f"{_game.capitalize()}{_mode}-v0",
            "Procgen",
            env_name=_game,
            distribution_mode=MODES[_mode],
            max_episode_steps=steps_of(_game, _mode),
        )
