"""Plans: what the results of a pool look like, in the terms of the native pool's columns.

A plan is a tree of dicts and tuples whose leaves are names of columns. The native pool gets one for
each kind of result when it is made, and builds results of that shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypedDict

from envpool.spec.fields import nest

if TYPE_CHECKING:
    from envpool.spec.spaces import Spaces

Plan = str | dict[str, "Plan"] | tuple["Plan", ...]

# Whose rows these are, which only Gymnasium's own API does not tell.
IDS = {"env_id": "@env_id", "players.env_id": "@players.env_id"}
_FINAL_ELAPSED_STEP = {"elapsed_step": "@final_elapsed_step"}


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


def envpool_infos(spaces: Spaces) -> dict[str, str]:
    """The dotted keys of ``info`` in EnvPool's dialect of Gymnasium's API, with their columns."""
    infos = _ids(spaces) | _infos(spaces, "info.") | {"elapsed_step": "@elapsed_step"}
    return with_statistics(spaces, infos, "_episode")


def envpool_plans(spaces: Spaces) -> Plans:
    """EnvPool's dialect of Gymnasium's API."""
    final_infos = _infos(spaces, "final_info.") | _FINAL_ELAPSED_STEP
    return _native_plans(spaces, envpool_infos(spaces), final_infos)


def gymnasium_plans(spaces: Spaces) -> Plans:
    """Gymnasium's own API.

    Where an info differs between resets and steps, there is ``elapsed_step`` to tell them apart.
    """
    shown = spaces.info_rules.in_gymnasium(spaces.infos)
    infos = {key: f"info.{info}" for key, info in shown.items()}
    if spaces.info_rules.only_steps or spaces.info_rules.integer_at_reset:
        infos["elapsed_step"] = "@elapsed_step"
    infos = with_statistics(spaces, infos, "_episode")
    final_infos = {key: f"final_info.{info}" for key, info in shown.items()}
    return _native_plans(spaces, infos, final_infos)


def dm_observation(spaces: Spaces) -> dict[str, str]:
    """The dotted keys of dm_env's observation, with their columns.

    That API has no infos: they are a part of the observation.
    """
    observation = {name: f"obs.{name}" for name in spaces.observation_names}
    everything = _ids(spaces) | observation | _infos(spaces, "info.")
    # No field of a named tuple begins with an underscore.
    return with_statistics(spaces, everything, "episode.done")


def dm_plans(spaces: Spaces) -> Plans:
    """dm_env's API."""
    return _time_step_plans(dm_observation(spaces))


class PythonColumns(NamedTuple):
    """The columns of a pool of environments written in Python; their own infos come as letters.

    Attributes:
        observation: The plan of an observation.
        observation_names: Its arrays, whose columns have ``obs.`` in front.
        info_names: The native infos, whose columns have ``info.`` in front.
        has_statistics: Are there statistics of episodes?
    """

    observation: Plan
    observation_names: list[str]
    info_names: list[str]
    has_statistics: bool

    def infos(self, others: dict[str, str], done: str) -> dict[str, str]:
        """The dotted keys of infos with their columns; ``done`` as for with_statistics."""
        infos = IDS | others | {name: f"info.{name}" for name in self.info_names}
        return with_statistics(self, infos, done)


def python_envpool_plans(columns: PythonColumns) -> Plans:
    """EnvPool's dialect of Gymnasium's API."""
    info = nest(columns.infos({"elapsed_step": "@elapsed_step"}, "_episode"))
    # The last observations of episodes come as letters.
    return _step_plans(columns.observation, info, ({}, nest(_FINAL_ELAPSED_STEP)))


def python_gymnasium_plans(columns: PythonColumns) -> Plans:
    """Gymnasium's own API, whose infos all come as letters."""
    return _step_plans(columns.observation, {})


def python_dm_plans(columns: PythonColumns) -> Plans:
    """dm_env's API, which has no infos."""
    observation = {name: f"obs.{name}" for name in columns.observation_names}
    return _time_step_plans(columns.infos(observation, "episode.done"))


def _ids(spaces: Spaces) -> dict[str, str]:
    """The keys that tell whose rows these are, and of which task."""
    return IDS | ({"task": "@task"} if spaces.shows_tasks else {})


def _infos(spaces: Spaces, prefix: str) -> dict[str, str]:
    """EnvPool's keys with their columns, whose names have this in front."""
    return {key: prefix + info for key, info in spaces.info_rules.in_envpool(spaces.infos).items()}


def with_statistics(
    pool: Spaces | PythonColumns, infos: dict[str, str], done: str
) -> dict[str, str]:
    """Adds the statistics of episodes, if there are any, to the dotted keys of infos.

    Args:
        pool: What knows whether there are any.
        infos: The keys with their columns. An ``episode`` of the environment's own gives way.
        done: The key that tells where there are any.
    """
    if not pool.has_statistics:
        return infos
    infos = {key: column for key, column in infos.items() if key != "episode"}
    return infos | {
        "episode.r": "@episode_return",
        "episode.l": "@episode_length",
        done: "@episode_done",
    }


def _native_plans(spaces: Spaces, infos: dict[str, str], final_infos: dict[str, str]) -> Plans:
    final = (_observation(spaces, "final_obs."), nest(final_infos))
    return _step_plans(_observation(spaces, "obs."), nest(infos), final)


def _step_plans(observation: Plan, info: Plan, *final: Plan) -> Plans:
    """Plans of Gymnasium's five entries; ``final`` is a sixth one, where episodes have ended."""
    step = (observation, "@reward", "@terminated", "@truncated", info)
    return Plans(step=step, reset=(observation, info), final_step=(*step, *final))


def _time_step_plans(observation: dict[str, str]) -> Plans:
    step = ("@step_type", "@reward", "@discount", nest(observation))
    return Plans(step=step, reset=step, final_step=step)


def _observation(spaces: Spaces, prefix: str) -> Plan:
    columns = {name: prefix + name for name in spaces.observation_names}
    match spaces.observation_structure:
        case "single":
            return next(iter(columns.values()))
        case "tuple":
            return tuple(columns.values())
        case _:
            return nest(columns)
