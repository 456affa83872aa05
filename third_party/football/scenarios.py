"""Runs upstream's scenario files with a builder that writes down what they ask for, as C++.

    python scenarios.py FOLDER OUTPUT

Each of the files in FOLDER builds its scenario twice, for episodes with an even and with an odd
number, which swap the teams in some. OUTPUT is rows of the table in scenario.cpp.
"""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path
from typing import Any

# In the order of the engine's e_PlayerRole, and of its e_Team.
ROLES = ("GK", "CB", "LB", "RB", "DM", "CM", "LM", "RM", "AM", "CF")
LEFT, RIGHT = range(2)


def braced(*items: object) -> str:
    """An initializer list of C++.

    Args:
        *items: What is in it.
    """
    return "{" + ", ".join(map(str, items)) + "}"


class Builder:
    """What a scenario file is given: upstream's Scenario, but it only writes down.

    Args:
        episode_number: Of the episode.

    Attributes:
        settings: What was set of the configuration.
        ball: Where it lies.
        teams: The players of both.
    """

    def __init__(self, episode_number: int) -> None:
        self._episode_number = episode_number
        self._team = LEFT
        self.settings = types.SimpleNamespace()
        self.ball = (0.0, 0.0)
        self.teams: tuple[list[str], list[str]] = ([], [])

    def config(self) -> types.SimpleNamespace:
        """The configuration, whose attributes are set."""
        return self.settings

    def SetTeam(self, team: int) -> None:  # noqa: N802 - upstream's names, here and below
        """Chooses the team that is added to."""
        self._team = team

    def AddPlayer(  # noqa: N802
        self, x: float, y: float, role: int, lazy: bool = False, controllable: bool = True
    ) -> None:
        """Adds a player."""
        flags = (str(flag).lower() for flag in (lazy, controllable))
        self.teams[self._team].append(braced(x, y, role, *flags))

    def SetBallPosition(self, x: float, y: float) -> None:  # noqa: N802
        """Lays the ball down."""
        self.ball = (x, y)

    def EpisodeNumber(self) -> int:  # noqa: N802
        """The number of the episode."""
        return self._episode_number

    def row(self) -> str:
        """The scenario as C++. A team without players gets one, as upstream gives it."""
        for team, players in enumerate(self.teams):
            if not players:
                self.SetTeam(team)
                self.AddPlayer(-1.0, 0.42, ROLES.index("GK"), True)
        settings = (
            braced(f'"{name}"', float(value)) for name, value in vars(self.settings).items()
        )
        left, right = (braced(*players) for players in self.teams)
        return braced(braced(*settings), braced(*self.ball), left, right)


def main(folder: str, output: str) -> None:
    """Writes the table of all scenarios.

    Args:
        folder: Upstream's ``scenarios``.
        output: The file.
    """
    package: Any = types.ModuleType("scenarios")
    package.__path__ = [folder]
    package.Team = types.SimpleNamespace(e_Left=LEFT, e_Right=RIGHT)
    for number, role in enumerate(ROLES):
        setattr(package, f"e_PlayerRole_{role}", number)
    sys.modules[package.__name__] = package
    sys.dont_write_bytecode = True
    rows = []
    names = sorted(path.stem for path in Path(folder).glob("*.py"))
    for name in (name for name in names if not name.startswith(("_", "test_"))):
        scenario = importlib.import_module(f"scenarios.{name}")
        builders = [Builder(episode_number) for episode_number in (2, 1)]
        for builder in builders:
            scenario.build_scenario(builder)
        both = braced(braced(*(builder.row() for builder in builders)))
        rows.append(braced(f'"{name}"', both) + ",\n")
    Path(output).write_text("".join(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
