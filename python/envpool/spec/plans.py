"""Plans: what the results of a pool look like, in the terms of the native pool's columns.

A plan is a tree of dicts and tuples whose leaves are names of columns. The native pool gets one for
each kind of result when it is made, and builds results of that shape.
"""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from envpool.spec.fields import nest
from envpool.spec.infos import InfoRules

Plan = str | dict[str, "Plan"] | tuple["Plan", ...]


class Shown(NamedTuple):
    """Where APIs show a column that the executor itself writes; empty: nowhere.

    Attributes:
        column: The column's name.
        info: The dotted key of ``info`` in EnvPool's dialect of Gymnasium's API.
        strict: The same in Gymnasium's own API.
        dm: The dotted key of dm_env's observation; no field of a named tuple begins with ``_``.
        final_info: The key in ``final_info``, whose other entries are environments' own.
        array: EnvPool's name in ``EnvSpec.state_array_spec``.
        only_if: The attribute of :class:`Contents` that says whether results have it; empty: all
            have it.
        comes_first: It comes before what is the environments' own.
    """

    column: str
    info: str = ""
    strict: str = ""
    dm: str = ""
    final_info: str = ""
    array: str = ""
    only_if: str = ""
    comes_first: bool = False


OWN_COLUMNS = (
    Shown("@env_id", info="env_id", dm="env_id", array="info:env_id", comes_first=True),
    Shown(
        "@players.env_id",
        info="players.env_id",
        dm="players.env_id",
        array="info:players.env_id",
        comes_first=True,
    ),
    Shown("@task", info="task", dm="task", only_if="has_tasks", comes_first=True),
    Shown("@elapsed_step", info="elapsed_step", array="elapsed_step"),
    Shown("@elapsed_step", strict="elapsed_step", only_if="tells_resets"),
    Shown("@final_elapsed_step", final_info="elapsed_step"),
    Shown("@terminated", array="done"),
    Shown("@reward", array="reward"),
    Shown("@discount", array="discount"),
    Shown("@step_type", array="step_type"),
    Shown("@truncated", array="trunc"),
    Shown("@episode_return", *("episode.r",) * 3, only_if="has_statistics"),
    Shown("@episode_length", *("episode.l",) * 3, only_if="has_statistics"),
    Shown("@episode_done", "_episode", "_episode", "episode.done", only_if="has_statistics"),
)


def own_keys(api: str) -> dict[str, str]:
    """The dotted keys under which an API can show columns of the executor's own, with these.

    Args:
        api: One of the attributes of :class:`Shown`.
    """
    return {getattr(row, api): row.column for row in OWN_COLUMNS if getattr(row, api)}


class Contents(NamedTuple):
    """What results of a pool have.

    Attributes:
        observation: The plan of an observation.
        final_observation: That of the last one of an episode.
        observation_names: Its arrays, whose columns have ``obs.`` in front.
        infos: The environments' infos, whose columns have ``info.`` in front.
        rules: How APIs show them.
        has_statistics: There are statistics of episodes.
        has_tasks: There are several tasks.
    """

    observation: Plan
    final_observation: Plan
    observation_names: list[str]
    infos: list[str]
    rules: InfoRules = InfoRules()
    has_statistics: bool = False
    has_tasks: bool = False

    @property
    def tells_resets(self) -> bool:
        """True if an info in Gymnasium's own API differs between resets and steps."""
        return bool(self.rules.only_steps or self.rules.integer_at_reset)

    def with_own(self, api: str, others: dict[str, str]) -> dict[str, str]:
        """The dotted keys of a dict of results, with their columns.

        Args:
            api: One of the attributes of :class:`Shown`.
            others: What is the environments' own. An ``episode`` gives way to the statistics.
        """
        shown = [row for row in OWN_COLUMNS if getattr(row, api)]
        rows = [row for row in shown if not row.only_if or getattr(self, row.only_if)]
        first = {getattr(row, api): row.column for row in rows if row.comes_first}
        last = {getattr(row, api): row.column for row in rows if not row.comes_first}
        if self.has_statistics:
            others = {key: column for key, column in others.items() if key != "episode"}
        return first | others | last

    def envpool_infos(self) -> dict[str, str]:
        """The dotted keys of ``info`` in EnvPool's dialect of Gymnasium's API."""
        return self.with_own("info", _with_prefix("info.", self.rules.in_envpool(self.infos)))

    def dm_observation(self) -> dict[str, str]:
        """The dotted keys of dm_env's observation. That API has no infos: they are a part of it."""
        observation = {name: f"obs.{name}" for name in self.observation_names}
        infos = _with_prefix("info.", self.rules.in_envpool(self.infos))
        return self.with_own("dm", observation | infos)


class Plans(TypedDict):
    """The plans of a flavour.

    Attributes:
        step: Of what a step returns.
        reset: Of what a reset returns.
        final_step: Of a step after which other episodes have begun in place of those that ended.
    """

    step: Plan
    reset: Plan
    final_step: Plan


def envpool_plans(contents: Contents) -> Plans:
    """EnvPool's dialect of Gymnasium's API."""
    final = _with_prefix("final_info.", contents.rules.in_envpool(contents.infos))
    return _step_plans(contents, contents.envpool_infos(), final | own_keys("final_info"))


def gymnasium_plans(contents: Contents) -> Plans:
    """Gymnasium's own API.

    Where an info differs between resets and steps, there is ``elapsed_step`` to tell them apart.
    """
    shown = contents.rules.in_gymnasium(contents.infos)
    infos = contents.with_own("strict", _with_prefix("info.", shown))
    return _step_plans(contents, infos, _with_prefix("final_info.", shown))


def dm_plans(contents: Contents) -> Plans:
    """dm_env's API."""
    step = ("@step_type", "@reward", "@discount", nest(contents.dm_observation()))
    return Plans(step=step, reset=step, final_step=step)


def bare_plans(contents: Contents) -> Plans:
    """Gymnasium's own API of environments written in Python.

    Their infos come as letters, but for those that are known before there are some.
    """
    infos = nest(_with_prefix("info.", {info: info for info in contents.infos}))
    step: Plan = (contents.observation, "@reward", "@terminated", "@truncated", infos)
    return Plans(step=step, reset=(contents.observation, infos), final_step=step)


def _with_prefix(prefix: str, infos: dict[str, str]) -> dict[str, str]:
    return {key: prefix + info for key, info in infos.items()}


def _step_plans(contents: Contents, infos: dict[str, str], final_infos: dict[str, str]) -> Plans:
    """Plans of Gymnasium's five entries; a sixth one has the last rows of episodes."""
    info = nest(infos)
    step = (contents.observation, "@reward", "@terminated", "@truncated", info)
    final = (contents.final_observation, nest(final_infos))
    return Plans(step=step, reset=(contents.observation, info), final_step=(*step, final))


def observation_plan(structure: str, names: list[str], prefix: str) -> Plan:
    """The plan of an observation.

    Args:
        structure: ``"single"``, ``"dict"`` or ``"tuple"``.
        names: Its arrays.
        prefix: What columns' names have in front.
    """
    columns = {name: prefix + name for name in names}
    match structure:
        case "single":
            return next(iter(columns.values()))
        case "tuple":
            return tuple(columns.values())
        case _:
            return nest(columns)
