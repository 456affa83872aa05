"""AgentsEnvironment: what all environments of several agents have in common in a worker."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium
from gymnasium import spaces

from envpool.errors import ArgumentError, shown


class AgentsEnvironment:
    """One of PettingZoo's environments, whose agents are counted and have the same spaces.

    PettingZoo itself is not needed: what has the methods of its classes is one.

    Args:
        environment: It.

    Attributes:
        of_agents: The environment.
        possible_agents: All agents that there can be.
        observation_space: Of each of them.
        action_space: Likewise.

    Raises:
        TypeError: It lacks something.
        ArgumentError: Its agents have different spaces.
    """

    kind: str  # as messages call PettingZoo's class, with the methods that it must have
    methods: tuple[str, ...]

    def __init__(self, environment: Any) -> None:
        self.of_agents = environment
        self.possible_agents = _read_agents(environment, self.kind, self.methods)
        self._ids = {agent: i for i, agent in enumerate(self.possible_agents)}
        self.observation_space = self._common_space("observation_space")
        self.action_space = self._common_space("action_space")

    def _common_space(self, name: str) -> spaces.Space[Any]:
        of = getattr(self.of_agents, name)
        first, *others = self.possible_agents
        common = of(first)
        if not isinstance(common, gymnasium.Space):
            raise TypeError(f"{name}({first!r}) is {shown(common)}, expected a gymnasium.Space")
        for agent in others:
            if (space := of(agent)) != common:
                raise ArgumentError(
                    f"{name} is {common} of agent {first!r} and {space} of agent {agent!r}, "
                    "expected one and the same: SuperSuit's wrappers can pad them"
                )
        return common

    def _index(self, agent: Any, what: str = "there is an") -> int:
        """The agent's index in ``possible_agents``.

        Args:
            agent: The agent.
            what: How the message begins if there is no such agent.
        """
        if agent not in self._ids:
            raise ValueError(
                f"{what} agent {agent!r}, which is not in possible_agents: {shown(list(self._ids))}"
            )
        return self._ids[agent]

    @property
    def unwrapped(self) -> Any:
        """The environment itself, without wrappers."""
        return getattr(self.of_agents, "unwrapped", self.of_agents)

    def get_wrapper_attr(self, name: str) -> Any:
        """An attribute of the environment."""
        return getattr(self.of_agents, name)

    def set_wrapper_attr(self, name: str, value: Any) -> None:
        """Sets an attribute of the environment."""
        setattr(self.of_agents, name, value)

    def __getattr__(self, name: str) -> Any:
        if name == "of_agents":  # it is being unpickled
            raise AttributeError(name)
        return getattr(self.of_agents, name)


def _read_agents(environment: Any, kind: str, methods: tuple[str, ...]) -> tuple[Any, ...]:
    for name in methods:
        if not callable(getattr(environment, name, None)):
            raise TypeError(f"{shown(environment)} has no {name}(), which {kind} has")
    agents = getattr(environment, "possible_agents", None)
    if not isinstance(agents, Iterable) or not (agents := tuple(agents)):
        raise TypeError(
            f"possible_agents of {shown(environment)} is {shown(agents)}, expected a list of all "
            "agents that there can be"
        )
    if len({*agents}) < len(agents):
        raise ArgumentError(f"possible_agents has an agent twice: {shown(agents)}")
    return agents


def has_agents(environment: Any) -> bool:
    """True if it is one of several agents, whose spaces have to be asked for."""
    names = ("observation_space", "action_space")
    return all(callable(getattr(environment, name, None)) for name in names)


def takes_turns(environment: Any) -> bool:
    """True if the agents of such an environment act one after the other."""
    return callable(getattr(environment, "agent_iter", None))
