"""Behaviour cloning: a policy that imitates the best episodes of a recording.

    pip install "envpool-next[examples]"
    python examples/ppo.py --option record=runs/a  # CartPole-v1, until it is solved
    python examples/clone.py runs/a --best 30
    python examples/clone.py --help

A recording has no observations: they are generated again, bit for bit. The network learns to
imitate the recorded actions (Pomerleau 1989, "ALVINN"), and then plays the task itself.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from gymnasium import spaces
from numpy.typing import NDArray

import envpool

try:
    import torch
    from torch import nn
except ImportError as error:
    raise SystemExit(f'{error}: this example needs pip install "envpool-next[examples]"') from error

Array = NDArray[Any]

WIDTH = 64
BATCH = 256


class Imitator(nn.Module):
    """From observations to actions: their logits if they are discrete."""

    def __init__(self, observations: torch.Tensor, action_space: spaces.Box | spaces.Discrete):
        super().__init__()
        self.action_space = action_space
        self.mean, self.deviation = observations.mean(0), observations.std(0) + 1e-6
        self.layers = nn.Sequential(
            nn.Linear(observations.shape[1], WIDTH),
            nn.Tanh(),
            nn.Linear(WIDTH, WIDTH),
            nn.Tanh(),
            nn.Linear(WIDTH, spaces.flatdim(action_space)),
        )

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Logits or actions, a row for each observation."""
        output: torch.Tensor = self.layers((observations - self.mean) / self.deviation)
        return output

    def loss(self, observations: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """How far from what was done."""
        output = self(observations)
        if isinstance(self.action_space, spaces.Discrete):
            return nn.functional.cross_entropy(output, actions)
        return nn.functional.mse_loss(output, actions)

    @torch.no_grad()
    def act(self, observations: Array) -> Array:
        """The actions that it holds for the best."""
        output: Array = self(rows_of(observations)).numpy()
        space = self.action_space
        if isinstance(space, spaces.Discrete):
            return np.asarray(output.argmax(-1) + space.start)
        actions = output.reshape(len(observations), *space.shape)
        return np.asarray(actions.clip(space.low, space.high))


def rows_of(observations: Array) -> torch.Tensor:
    return torch.from_numpy(observations.reshape(len(observations), -1).astype(np.float32))


def examples_of(recording: Any, best: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What was observed and done in the best episodes."""
    space = recording.spec.action_space
    rollouts = [episode.rollout() for episode in recording.best(best)]
    # The last observation of an episode was not acted on.
    observations = rows_of(np.concatenate([rollout.observations[:-1] for rollout in rollouts]))
    actions = np.concatenate([rollout.actions for rollout in rollouts])
    if isinstance(space, spaces.Discrete):
        return observations, torch.from_numpy(actions - space.start).long()
    return observations, rows_of(actions)


def imitate(recording: Any, best: int, epochs: int) -> Imitator:
    """Learns what was done in the best episodes."""
    observations, actions = examples_of(recording, best)
    imitator = Imitator(observations, recording.spec.action_space)
    optimizer = torch.optim.Adam(imitator.parameters(), lr=1e-3)
    for _ in range(epochs):
        for rows in torch.randperm(len(observations)).chunk(-(-len(observations) // BATCH)):
            loss = imitator.loss(observations[rows], actions[rows])
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
    print(f"{len(observations)} steps of {best} episodes, loss {loss.item():.3f}")
    return imitator


def play(imitator: Imitator, task: str, episodes: int, seed: int) -> Array:
    """The returns of one episode each of so many environments."""
    returns, goes_on = np.zeros(episodes), np.ones(episodes, bool)
    with envpool.make_gymnasium(task, num_envs=episodes, seed=seed) as pool:
        observations, _ = pool.reset()
        while goes_on.any():
            step = pool.step(imitator.act(observations))
            observations, rewards, terminated, truncated, _ = step
            returns += rewards * goes_on
            goes_on &= ~(terminated | truncated)
    return returns


def main(
    path: Annotated[Path, typer.Argument(help="The folder of a recording.", show_default=False)],
    *,
    best: Annotated[int, typer.Option(min=1, help="How many episodes to imitate.")] = 30,
    epochs: Annotated[int, typer.Option(min=1)] = 20,
    episodes: Annotated[int, typer.Option(min=1, help="How many to play afterwards.")] = 50,
    seed: Annotated[int, typer.Option(min=0)] = 1000,
) -> None:
    """Imitates the best episodes of a recording, and says what that brings."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        recording = envpool.replay(path)
    if not isinstance(recording.spec.observation_space, spaces.Box):
        raise typer.BadParameter(f"no network here observes {recording.spec.observation_space}")
    if not isinstance(recording.spec.action_space, spaces.Box | spaces.Discrete):
        raise typer.BadParameter(f"no policy here acts in {recording.spec.action_space}")
    if len(recording) == 0:
        raise typer.BadParameter(f"no episode has ended in {path}")
    best = min(best, len(recording))
    imitator = imitate(recording, best, epochs)
    shown = np.array([episode.total for episode in recording.best(best)])
    returns = play(imitator, recording.task, episodes, seed)
    print(
        f"mean return of all {len(recording)} episodes: {recording.episodes['return'].mean():.1f}"
    )
    print(f"of the {best} that were imitated: {shown.mean():.1f}")
    print(f"of {episodes} that the imitator played: {returns.mean():.1f}")


if __name__ == "__main__":
    typer.run(main)
