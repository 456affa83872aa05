"""ParallelEnvironment: one of PettingZoo's environments of several agents, as workers run it.

PettingZoo itself is not needed: what has the methods of its ``ParallelEnv`` is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from envpool.errors import shown
from envpool.workers.worker_side.agents import AgentsEnvironment

# What a step or a reset came to for one agent: its index in possible_agents, what it observes, its
# reward, and whether it is terminated or truncated.
PlayerRow = tuple[int, Any, float, bool, bool]
# Of those rows that have some, by their numbers.
RowInfos = dict[int, dict[str, Any]]


class ParallelEnvironment(AgentsEnvironment):
    """Turns what an environment says of its agents by their names into rows.

    There is a row for each agent that was there before a step or is there after it, in the order of
    ``possible_agents``. An agent that leaves ``agents`` and is neither terminated nor truncated
    counts as terminated. The episode ends when no agent is left: it is truncated if one of the last
    was, and terminated otherwise.

    Args:
        environment: Has the methods of PettingZoo's ``ParallelEnv``.

    Raises:
        TypeError: It lacks something.
        ArgumentError: Its agents have different spaces.
    """

    kind, methods = "a ParallelEnv", ("reset", "step")

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        # Who takes part in the next step. A dict, because that has an order and is quick to search.
        self._agents: dict[Any, None] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[list[PlayerRow], RowInfos]:
        """Starts an episode; returns rows of those who begin it, and their infos.

        Raises:
            TypeError, ValueError: The environment returned what it must not.
        """
        returned = self.of_agents.reset(seed=seed, options=options)
        observations, infos = self._read("reset", returned, ("observations", "infos"))
        if not self.find_agents():
            raise ValueError("agents is empty after reset(), expected some of possible_agents")
        nothing, none = dict.fromkeys(self._agents, 0.0), dict.fromkeys(self._agents, False)
        rows = self._rows(self._agents, observations, nothing, none, none)
        return rows, _infos_of(self._agents, infos)

    def step(self, actions: list[Any]) -> tuple[list[PlayerRow], bool, bool, RowInfos]:
        """Steps the environment.

        Args:
            actions: Of those who take part, in the order of ``possible_agents``.

        Returns:
            Their rows, whether the episode has terminated, whether it was truncated, and infos.

        Raises:
            TypeError, ValueError: The environment returned what it must not.
        """
        before = self._agents
        names = ("observations", "rewards", "terminations", "truncations", "infos")
        returned = self.of_agents.step(dict(zip(before, actions, strict=True)))
        *values, infos = self._read("step", returned, names)
        self.find_agents()
        present: Iterable[Any] = before
        if not self._agents.keys() <= before.keys():
            present = [agent for agent in self._ids if agent in before or agent in self._agents]
        rows = self._rows(present, *values)
        is_over = not self._agents
        truncated = is_over and any(is_truncated for *_, is_truncated in rows)
        return rows, is_over and not truncated, truncated, _infos_of(present, infos)

    def _rows(
        self,
        agents: Iterable[Any],
        observations: dict[Any, Any],
        rewards: dict[Any, Any],
        terminations: dict[Any, Any],
        truncations: dict[Any, Any],
    ) -> list[PlayerRow]:
        rows = []
        for agent in agents:
            try:
                terminated, truncated = bool(terminations[agent]), bool(truncations[agent])
                observation, reward = observations[agent], float(rewards[agent])
            except KeyError:
                values = (observations, rewards, terminations, truncations)
                raise ValueError(_why_missing(agent, values)) from None
            if agent not in self._agents:
                terminated = terminated or not truncated
            elif terminated or truncated:
                how = "terminated" if terminated else "truncated"
                raise ValueError(f"agent {agent!r} is {how}, but agents still has it")
            rows.append((self._ids[agent], observation, reward, terminated, truncated))
        return rows

    def _read(self, method: str, returned: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
        """The dicts that a method returned, one for each of these names."""
        if not isinstance(returned, tuple) or len(returned) != len(names):
            raise TypeError(f"{method}() returned {shown(returned)}, expected ({', '.join(names)})")
        for name, value in zip(names, returned, strict=True):
            if not isinstance(value, dict):
                raise TypeError(f"{method}() returned as {name} {shown(value)}, expected a dict")
            if not value.keys() <= self._ids.keys():
                for agent in value:
                    self._index(agent, f"{method}() returned {name} of")
        return returned

    def find_agents(self) -> int:
        """Asks the environment who takes part in the next step; returns how many.

        Raises:
            ValueError: They are not among ``possible_agents``.
        """
        agents = set(getattr(self.of_agents, "agents", ()))
        for agent in agents - self._ids.keys():
            self._index(agent, "agents has")
        self._agents = {agent: None for agent in self._ids if agent in agents}
        return len(self._agents)


def agents_of(environment: Any) -> tuple[Any, ...] | None:
    """Those that an environment can have; None if it is one of a single player."""
    return environment.possible_agents if isinstance(environment, ParallelEnvironment) else None


def count_acting(environment: Any, is_over: bool) -> int:
    """How many take part in the next step of an environment, whose episode may be over."""
    if not isinstance(environment, ParallelEnvironment):
        return 1
    return 0 if is_over else environment.find_agents()


def _why_missing(agent: Any, values: tuple[dict[Any, Any], ...]) -> str:
    names = ("observation", "reward", "termination", "truncation")
    which = next(name for name, each in zip(names, values, strict=True) if agent not in each)
    return f"there is no {which} of agent {agent!r}, who takes part"


def _infos_of(agents: Iterable[Any], infos: dict[Any, Any]) -> RowInfos:
    """Those that are not empty. Agents need not have any."""
    rows: RowInfos = {}
    if not infos:
        return rows
    for row, agent in enumerate(agents):
        info = infos.get(agent)
        if info is None:
            continue
        if not isinstance(info, dict):
            raise TypeError(f"the info of agent {agent!r} is {shown(info)}, expected a dict")
        if info:
            rows[row] = info
    return rows
