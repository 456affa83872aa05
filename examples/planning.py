"""MountainCar solved by search: no network and no gradient, but snapshots of the environment.

    pip install "envpool-next[examples]"
    python examples/planning.py
    python examples/planning.py --seed 3 --rounds 2000 --output search.png
    python examples/planning.py --help

The car must swing itself up a hill, and no reward guides it: random actions don't get it there in
the 200 steps that it has. So this script follows Go-Explore (Ecoffet et al. 2021,
arXiv:2004.12919): remember, return, explore. Positions and velocities are divided into cells. For
each cell, the shortest path found so far is remembered: its actions, and a snapshot of the
environment at its end. In each round, all environments of a pool return to remembered cells by
``set_state`` and explore from there with random actions.

A snapshot holds everything that the next steps depend on. So the actions of a path, one after the
other from the first state, lead to the same place. To prove it, Gymnasium's own environment takes
the actions of the shortest path to the goal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import gymnasium
import numpy as np
import typer
from numpy.typing import NDArray
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import envpool

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise SystemExit(f'{error}: this example needs pip install "envpool-next[examples]"') from error

Array = NDArray[Any]

TASK = "MountainCar-v0"
CELLS = 80  # along each axis
STEPS = 20  # of a round
REPEAT = 0.9  # probability of the same action once more: to swing is to push for a while


class Way(NamedTuple):
    """How to get somewhere from the first state of the episode."""

    actions: list[int]
    state: bytes  # the environment's snapshot there


class Search:
    """Looks for the quickest way to the goal, with all environments of a pool."""

    def __init__(self, num_envs: int, seed: int) -> None:
        self.pool = envpool.make(TASK, env_type="gymnasium", num_envs=num_envs, seed=seed)
        space = self.pool.observation_space
        assert isinstance(space, gymnasium.spaces.Box)
        self.low, self.high = space.low, space.high
        self.rng = np.random.default_rng(seed)
        self.actions_to_goal: list[int] | None = None
        observation, _ = self.pool.reset()
        (state,) = self.pool.get_state([0])  # the environment whose seed is `seed` itself
        self.ways = {self._cells(observation)[0]: Way([], state)}

    def _cells(self, observation: Array) -> list[tuple[int, ...]]:
        scaled = (observation - self.low) / (self.high - self.low) * CELLS
        return [tuple(cell) for cell in scaled.astype(int).tolist()]

    def explore(self) -> None:
        """Returns to remembered cells, and remembers the new and the quicker ways from there."""
        num_envs = self.pool.num_envs
        known = list(self.ways.values())
        origins = [known[i] for i in self.rng.integers(len(known), size=num_envs)]
        self.pool.set_state([way.state for way in origins])
        actions = [way.actions.copy() for way in origins]
        running = np.ones(num_envs, np.bool_)
        action = self.rng.integers(3, size=num_envs)
        for _ in range(STEPS):
            repeated = self.rng.random(num_envs) < REPEAT
            action = np.where(repeated, action, self.rng.integers(3, size=num_envs))
            observation, _, terminated, truncated, _ = self.pool.step(action)
            for i in np.flatnonzero(running):
                actions[i].append(int(action[i]))
            for i in np.flatnonzero(running & terminated):
                if self.actions_to_goal is None or len(actions[i]) < len(self.actions_to_goal):
                    self.actions_to_goal = actions[i]
            running &= ~(terminated | truncated)  # the next episodes are others', not ours
            cells = self._cells(observation)
            better = [i for i in np.flatnonzero(running) if self._is_better(actions[i], cells[i])]
            for i, state in zip(better, self.pool.get_state(better), strict=True):
                self.ways[cells[i]] = Way(actions[i].copy(), state)

    def _is_better(self, actions: list[int], cell: tuple[int, ...]) -> bool:
        return cell not in self.ways or len(actions) < len(self.ways[cell].actions)


def replay(actions: list[int], seed: int) -> tuple[Array, bool]:
    """What Gymnasium's own environment observes on the way, and whether it ends at the goal."""
    env = gymnasium.make(TASK)
    observations, terminated = [env.reset(seed=seed)[0]], False
    for action in actions:
        observation, _, terminated, _, _ = env.step(action)
        observations.append(observation)
    return np.array(observations), terminated


def plot(search: Search, trajectory: Array, path: Path) -> None:
    """Draws how many steps away the cells are, and the trajectory to the goal."""
    steps = np.full((CELLS + 1, CELLS + 1), np.nan)
    for (position, velocity), way in search.ways.items():
        steps[velocity, position] = len(way.actions)
    low, high = search.low, search.high
    edges = low + np.arange(CELLS + 2)[:, None] / CELLS * (high - low)
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    mesh = axes.pcolormesh(*edges.T, steps, cmap="viridis")
    figure.colorbar(mesh, label="steps from the start")
    axes.plot(*trajectory.T, color="#e45756", lw=2, label=f"{len(trajectory) - 1} steps")
    axes.set(title=f"Search on {TASK}", xlabel="position", ylabel="velocity")
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def main(
    num_envs: Annotated[int, typer.Option(min=1)] = 64,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of exploration.")] = 500,
    output: Path = Path("runs/planning.png"),
) -> None:
    """Searches a way up the hill, takes it in Gymnasium's own environment, and draws it."""
    search = Search(num_envs, seed)
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[status]}")
    with search.pool, Progress(*columns, TimeElapsedColumn()) as progress:
        bar = progress.add_task(TASK, total=rounds, status="")
        for _ in range(rounds):
            search.explore()
            goal = len(search.actions_to_goal) if search.actions_to_goal else "unknown"
            progress.update(bar, advance=1, status=f"{len(search.ways):,} cells  goal {goal}")
    if search.actions_to_goal is None:
        raise SystemExit(f"{TASK} not solved: no way to the goal in {rounds} rounds")
    trajectory, reached = replay(search.actions_to_goal, seed)
    plot(search, trajectory, output)
    print(f"The search is drawn in {output}.")
    verdict = "solved" if reached else "not solved"
    print(f"{TASK} {verdict}: Gymnasium's own takes the {len(trajectory) - 1} steps to the goal.")
    raise SystemExit(not reached)


if __name__ == "__main__":
    typer.run(main)
