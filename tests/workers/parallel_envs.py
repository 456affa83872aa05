"""Environments of several agents that know nothing of PettingZoo, and one stepped by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

NAMES = ["ant", "bee", "cow", "dog"]


class Herd:
    """Agents come and go at random; each observes its place, and wins the number that it says.

    Args:
        first: How many there are at the beginning of an episode.
        commands: What is done to what a step returns, by the number of the step; or for ``reset``.
    """

    metadata = {"name": "herd"}  # noqa: RUF012
    render_mode = "rgb_array"

    def __init__(self, first: int = 3, **commands: Callable[..., Any]) -> None:
        self.possible_agents = list(NAMES)
        self.first = first
        self.commands = commands
        self.random = np.random.default_rng(0)
        self.steps = 0

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Box(-1000, 1000, (2,), np.float32)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Discrete(100)

    def observe(self, agents: Iterable[str]) -> dict[str, Any]:
        return {agent: np.float32([self.steps, NAMES.index(agent)]) for agent in agents}

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.steps = 0
        self.agents = list(self.random.permutation(NAMES)[: self.first])
        infos = {agent: {"seed": seed} for agent in self.agents if seed is not None}
        returned = (self.observe(self.agents), infos)
        return self.commands["reset"](self, *returned) if "reset" in self.commands else returned

    def step(self, actions):
        assert set(actions) == set(self.agents)
        self.steps += 1
        luck = {agent: self.random.random() for agent in self.agents}
        terminated = {agent: luck[agent] < 0.15 for agent in self.agents}
        truncated = {agent: luck[agent] > 0.95 for agent in self.agents}
        infos = {agent: {"luck": luck[agent]} for agent in self.agents if luck[agent] > 0.3}
        rewards = {agent: float(action) for agent, action in actions.items()}
        present = list(self.agents)
        self.agents = [agent for agent in present if not terminated[agent] | truncated[agent]]
        newcomers = [agent for agent in NAMES if agent not in present]
        if newcomers and self.agents and self.random.random() < 0.1:
            self.agents.append(newcomers[0])
            present.append(newcomers[0])
            rewards[newcomers[0]] = 0.0
            terminated[newcomers[0]] = truncated[newcomers[0]] = False
        returned = (self.observe(present), rewards, terminated, truncated, infos)
        command = self.commands.get(f"step{self.steps}")
        return command(self, *returned) if command else returned

    def render(self):
        return np.full((2, 2, 3), self.steps, np.uint8)

    def get_state(self):
        return self.random.bit_generator.state, self.steps, list(self.agents)

    def set_state(self, state):
        self.random.bit_generator.state, self.steps, self.agents = state

    def close(self) -> None:
        """Has nothing to free."""


class Toolbox(Herd):
    """Observes and takes more than one array."""

    def observation_space(self, agent):
        return spaces.Dict(
            place=spaces.Box(-1000, 1000, (2,), np.float32),
            mask=spaces.Tuple((spaces.MultiBinary(3), spaces.Discrete(1000))),
        )

    def action_space(self, agent):
        return spaces.Dict(say=spaces.Discrete(100), move=spaces.Box(-1, 1, (2,), np.float32))

    def observe(self, agents):
        return {
            agent: {"place": place, "mask": (np.int8([1, 0, 1]), self.steps)}
            for agent, place in super().observe(agents).items()
        }

    def step(self, actions):
        said = {agent: action["say"] + action["move"].sum() for agent, action in actions.items()}
        return super().step(said)


class Alone(Herd):
    """Has one agent, for three steps."""

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = ["ant"]

    def reset(self, seed=None, options=None):
        self.steps, self.agents = 0, ["ant"]
        return self.observe(["ant"]), {}

    def step(self, actions):
        self.steps += 1
        ends = {"ant": self.steps == 3}
        self.agents = [] if ends["ant"] else ["ant"]
        rewards = {"ant": float(actions["ant"])}
        return self.observe(["ant"]), rewards, ends, {"ant": False}, {}


class Fixed(Herd):
    """All agents stay for as long as it lasts."""

    def reset(self, seed=None, options=None):
        self.steps, self.agents = 0, list(NAMES)
        return self.observe(NAMES), {}

    def step(self, actions):
        self.steps += 1
        ends = dict.fromkeys(NAMES, self.steps == 50)
        if self.steps == 50:
            self.agents = []
        rewards = {agent: float(action) for agent, action in actions.items()}
        stays = dict.fromkeys(NAMES, False)
        returned = (self.observe(NAMES), rewards, ends, stays, {})
        command = self.commands.get(f"step{self.steps}")
        return command(self, *returned) if command else returned


class PlayerRow(NamedTuple):
    """What there is to know of one agent after a step."""

    id: int
    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class ByHand:
    """One environment, stepped as its own API has it; episodes follow one another.

    Args:
        environment: A parallel environment.
        seed: For its first reset.
    """

    def __init__(self, environment: Any, seed: int | None) -> None:
        self.environment = environment
        self.seed = seed
        self.rows: list[PlayerRow] = []

    @property
    def going_on(self) -> list[PlayerRow]:
        return [row for row in self.rows if not row.terminated | row.truncated]

    def reset(self) -> None:
        observations, infos = self.environment.reset(seed=self.seed)
        self.seed = None
        no = dict.fromkeys(observations, False)
        self._take(observations, dict.fromkeys(observations, 0.0), no, no, infos)

    def step(self, actions: list[Any]) -> tuple[bool, bool]:
        """Takes actions of those who go on; returns whether that terminated or truncated it."""
        if not self.environment.agents:
            self.reset()
            return False, False
        names = [self.environment.possible_agents[row.id] for row in self.going_on]
        self._take(*self.environment.step(dict(zip(names, actions, strict=True))))
        is_over = not self.environment.agents
        is_truncated = is_over and any(row.truncated for row in self.rows)
        return is_over and not is_truncated, is_truncated

    def _take(self, observations, rewards, terminated, truncated, infos) -> None:
        self.rows = [
            PlayerRow(
                i,
                observations[agent],
                rewards[agent],
                bool(terminated[agent]),
                bool(truncated[agent]),
                infos.get(agent, {}),
            )
            for i, agent in enumerate(self.environment.possible_agents)
            if agent in observations
        ]
