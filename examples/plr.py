r"""Prioritized level replay: PPO on a few hundred levels of MiniGrid, measured on other levels.

    pip install "envpool-next[examples]"
    python examples/plr.py                                  # levels by their scores
    python examples/plr.py --schedule uniform               # all levels equally often
    python examples/plr.py --task MiniGrid-SimpleCrossingS9N1-v0 --levels 300 --seed 3

A level is a seed. Its score is the mean absolute advantage of its last episode (Jiang et al. 2021,
arXiv:2010.03934): high where the value function is wrong. Every few updates the agent plays levels
on which it does not train. The folder runs gets the curve, as a picture and as numbers.
"""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from gymnasium.spaces import flatdim
from numpy.typing import NDArray

import envpool
from envpool.curriculum import PrioritizedLevels, Uniform

try:
    import torch
    from matplotlib.figure import Figure
    from torch import nn
    from torch.distributions import Categorical
except ImportError as error:
    raise SystemExit(f'{error}: this example needs pip install "envpool-next[examples]"') from error

Array = NDArray[Any]

GAMMA, GAE_LAMBDA = 0.99, 0.95
LEARNING_RATE, CLIP, ENTROPY_BONUS, EPOCHS, MINIBATCHES = 1e-3, 0.2, 0.01, 4, 8
ROLLOUT_STEPS = 128  # of each environment, before an update
OTHER_LEVELS = 1_000_000  # the first seed of the levels that measure
VIEW: dict[str, Any] = {"image": "one_hot", "observation": "image"}  # zeros and ones


Kind = StrEnum("Kind", ["uniform", "prioritized"])


class Agent(nn.Module):
    """A policy and a value function, which share a layer."""

    def __init__(self, inputs: int, actions: int, width: int = 128) -> None:
        super().__init__()
        self.torso = nn.Sequential(
            nn.Flatten(), nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()
        )
        self.actor, self.critic = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, observation: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """The distribution of actions, and the discounted return to expect."""
        features = self.torso(observation.float())
        policy = Categorical(logits=self.actor(features), validate_args=False)
        return policy, self.critic(features).squeeze(-1)

    @torch.no_grad()
    def act(self, observation: Array) -> Any:
        """Sampled actions, for ``envpool.evaluate``."""
        return self(torch.from_numpy(observation))[0].sample().numpy()


class Scores:
    """Gives the levels of finished episodes their scores."""

    def __init__(self, schedule: PrioritizedLevels, num_envs: int) -> None:
        self.schedule = schedule
        self.episode = np.zeros(num_envs, int)  # which one each environment plays
        self.total, self.steps = np.zeros(num_envs), np.zeros(num_envs, int)

    def add(self, advantage: Array, played: Array, done: Array) -> None:
        """Adds a rollout, of shape (steps, num_envs); an episode may go on in the next one."""
        for now, counts, ends in zip(np.abs(advantage), played, done, strict=True):
            self.total += now * counts
            self.steps += counts
            for env_id in np.flatnonzero(ends):
                level = self.schedule.level_of(int(env_id), self.episode[env_id])
                self.schedule.update(level, self.total[env_id] / self.steps[env_id])
                self.episode[env_id] += 1
                self.total[env_id], self.steps[env_id] = 0, 0


class Collector:
    """Plays the agent's policy in the pool, in which all environments step together."""

    def __init__(self, pool: envpool.GymnasiumEnvPool, agent: Agent) -> None:
        self.pool, self.agent = pool, agent
        self.observation = pool.reset()[0]
        self.over = np.zeros(pool.num_envs, bool)  # the next step begins an episode

    @torch.no_grad()
    def rollout(self) -> dict[str, Array]:
        """What was seen and done, with arrays of shape (steps, num_envs, ...)."""
        rows: list[dict[str, Array]] = []
        policy, value = self.agent(torch.from_numpy(self.observation))
        for _ in range(ROLLOUT_STEPS):
            action = policy.sample()
            row = {"observation": self.observation, "action": action.numpy()}
            row |= {"log_prob": policy.log_prob(action).numpy(), "value": value.numpy()}
            # The step after an episode's end only begins the next one: it is no transition.
            row["played"] = ~self.over
            self.observation, reward, terminated, truncated, _ = self.pool.step(action.numpy())
            self.over = terminated | truncated
            policy, value = self.agent(torch.from_numpy(self.observation))
            row |= {"reward": reward, "terminated": terminated, "done": self.over}
            rows.append(row | {"next_value": value.numpy()})
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def advantages(rollout: dict[str, Array]) -> Array:
    """Generalized advantage estimates (Schulman et al. 2016), of shape (steps, num_envs)."""
    future = np.where(rollout["terminated"], 0.0, rollout["next_value"])
    estimates: Array = rollout["reward"] + GAMMA * future - rollout["value"]
    for step in reversed(range(len(estimates) - 1)):
        later = np.where(rollout["done"][step], 0.0, estimates[step + 1])
        estimates[step] += GAMMA * GAE_LAMBDA * later
    return estimates


def learn(
    agent: Agent, optimizer: torch.optim.Optimizer, rollout: dict[str, Array], advantage: Array
) -> None:
    """Improves the agent by what it did (Schulman et al. 2017, arXiv:1707.06347)."""
    rows_of = {name: torch.from_numpy(each[rollout["played"]]) for name, each in rollout.items()}
    observation, action, old_log_prob = (rows_of[n] for n in ("observation", "action", "log_prob"))
    gain = torch.from_numpy(advantage[rollout["played"]]).float()
    target = rows_of["value"] + gain
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(gain)).chunk(MINIBATCHES):
            policy, value = agent(observation[rows])
            scaled = (gain[rows] - gain[rows].mean()) / (gain[rows].std(correction=0) + 1e-8)
            ratio = (policy.log_prob(action[rows]) - old_log_prob[rows]).exp()
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            loss = -torch.min(ratio * scaled, clipped * scaled).mean()
            loss += 0.5 * (value - target[rows]).square().mean()
            loss -= ENTROPY_BONUS * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def write(curve: list[tuple[int, float]], title: str, path: Path) -> None:
    """The curve as a picture and as numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(f"{path}.csv", curve, "%.10g", ",", header="steps,return", comments="")
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot(xlabel="environment steps", ylabel="mean return on other levels")
    axes.plot(*zip(*curve, strict=True), color="#e45756", lw=2)
    axes.set_title(title)
    figure.savefig(f"{path}.png", dpi=150)
    print(f"The curve is in {path}.png, and as numbers in {path}.csv.")


def main(
    task: Annotated[str, typer.Option(help="One of MiniGrid's.")] = "MiniGrid-DoorKey-5x5-v0",
    schedule: Annotated[Kind, typer.Option(help="How levels are chosen.")] = Kind.prioritized,
    steps: Annotated[int, typer.Option(min=1, help="In all environments.")] = 250_000,
    levels: Annotated[int, typer.Option(min=1, help="To train on.")] = 200,
    num_envs: Annotated[int, typer.Option(min=1)] = 16,
    measure_every: Annotated[int, typer.Option(min=1, help="In updates.")] = 8,
    measure_episodes: Annotated[int, typer.Option(min=1, help="On other levels.")] = 100,
    seed: Annotated[int, typer.Option(min=0)] = 0,
) -> None:
    """Trains an agent on some levels, and measures it on others."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    replay = PrioritizedLevels(range(levels), seed=seed) if schedule == "prioritized" else None
    episodes = replay or Uniform(range(levels), seed=seed)
    pool = envpool.make(task, "gymnasium", num_envs=num_envs, episodes=episodes, **VIEW)
    agent = Agent(flatdim(pool.observation_space), flatdim(pool.action_space))
    optimizer = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE)
    collector, scores = Collector(pool, agent), replay and Scores(replay, num_envs)
    curve: list[tuple[int, float]] = []
    start, updates = time.perf_counter(), -(-steps // (ROLLOUT_STEPS * num_envs))
    for update in range(updates + 1):
        if update % measure_every == 0 or update == updates:
            result = envpool.evaluate(agent.act, task, measure_episodes, OTHER_LEVELS, **VIEW)
            curve.append((update * ROLLOUT_STEPS * num_envs, float(result.returns.mean())))
            seconds = f"{time.perf_counter() - start:.0f} s"
            print(f"{curve[-1][0]:,} steps  return {curve[-1][1]:.3f}  {seconds}", flush=True)
        if update < updates:
            rollout = collector.rollout()
            advantage = advantages(rollout)
            learn(agent, optimizer, rollout, advantage)
            if scores:
                scores.add(advantage, rollout["played"], rollout["done"])
    pool.close()
    write(curve, f"PPO on {task}, {schedule} levels", Path(f"runs/plr_{task}_{schedule}_{seed}"))


if __name__ == "__main__":
    typer.run(main)
