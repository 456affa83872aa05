"""Spaces: the observations, actions and infos of a spec's environments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar, Literal

from gymnasium import spaces

from envpool.errors import ArgumentError
from envpool.spec.fields import Field, NestedTuple, columns_of, dm_spec, gymnasium_structure, nest
from envpool.spec.infos import InfoRules, InfoTable
from envpool.spec.option_values import OptionValues
from envpool.spec.plans import Contents, observation_plan


class Spaces:
    """The observations, actions and infos of environments of one task.

    Families derive from this class where the originals' spaces are not those of the fields.

    Args:
        described: What the native core tells of an environment's fields.
        options: The environments' options.
        infos: The name of the module with the family's rules of its infos, if there is one.

    Attributes:
        most_players: How many players an environment can have.
        action_fields: The action's arrays.
        action_names: Their names.
        observation_names: The names of the observation's arrays.
        observation_structure: How these form an observation: ``"single"``, ``"dict"`` or
            ``"tuple"``.
        infos: The names of the native environment's infos, whichever API shows them.
    """

    # The rules of infos of environments about which the family's module says nothing.
    usual_infos: ClassVar[InfoRules] = InfoRules()
    # True if results have the info ``task``.
    shows_tasks: ClassVar[bool] = False

    def __init__(
        self, described: dict[str, Any], options: OptionValues, infos: str | None = None
    ) -> None:
        self.described = described
        self.options = options
        self._infos_module = infos
        self.most_players: int = described["max_num_players"]
        self.action_fields: list[Field] = described["action"]
        self.action_names: list[str] = [field["name"] for field in described["action"]]
        self.observation_names: list[str] = [field["name"] for field in described["observation"]]
        self.observation_structure: str = described["observation_structure"]
        self.infos: list[str] = [field["name"] for field in described["info"]]

    @cached_property
    def observation(self) -> spaces.Space[Any]:
        """Gymnasium's space of one environment's observation."""
        space: spaces.Space[Any] = self.made_of("observation", spaces)
        return space

    @cached_property
    def action(self) -> spaces.Space[Any]:
        """Gymnasium's space of one environment's action."""
        space: spaces.Space[Any] = self.made_of("action", spaces)
        return space

    @property
    def strict_observation(self) -> spaces.Space[Any]:
        """The space of one environment's observation as Gymnasium's own environment has it."""
        return self.observation

    @property
    def strict_action(self) -> spaces.Space[Any]:
        """The space of one environment's action as Gymnasium's own environment has it."""
        return self.action

    def made_of(self, what: Literal["observation", "action"], spaces: Any) -> Any:
        """The space of one environment's observation or action, made of ``spaces``.

        Args:
            what: Which of the two.
            spaces: Gymnasium's module of spaces, or an old gym's.
        """
        structure = self.described[f"{what}_structure"]
        return gymnasium_structure(structure, self.described[what], spaces)

    @property
    def contents(self) -> Contents:
        """What results have."""
        structure, names = self.observation_structure, self.observation_names
        return Contents(
            observation=observation_plan(structure, names, "obs."),
            final_observation=observation_plan(structure, names, "final_obs."),
            observation_names=names,
            infos=self.infos,
            rules=self.info_rules,
            has_statistics=self.options.config.record_episode_statistics,
            has_tasks=self.shows_tasks,
        )

    @cached_property
    def columns(self) -> dict[str, Field]:
        """All columns that results can have."""
        return columns_of(self.described)

    @cached_property
    def info_rules(self) -> InfoRules:
        """How the environments' infos are shown.

        Raises:
            ValueError: Not all alike, because their options differ.
        """
        rules, *others = self._rules_of(self.options.each())
        if any(other != rules for other in others):
            raise ArgumentError(
                f"an environment of {self.options.known.name} has options that give it other infos "
                "than environment 0's"
            )
        rules.check(self.infos)
        return rules

    def check_infos(self, options: dict[str, Any]) -> None:
        """Refuses options with which an environment would have other infos.

        Args:
            options: Its options, in the types that native code has.

        Raises:
            ValueError: The infos would be others.
        """
        if next(self._rules_of([options])) != self.info_rules:
            raise ArgumentError(
                f"these options would change the infos of {self.options.known.name}"
            )

    def _rules_of(self, options: Iterable[dict[str, Any]]) -> Iterator[InfoRules]:
        """How the infos of environments with these options are shown; once if in the same way."""
        table: InfoTable = import_module(self._infos_module).INFOS if self._infos_module else {}
        rules = table.get(self.options.known.name, self.usual_infos)
        if isinstance(rules, InfoRules):
            yield rules
        else:
            yield from map(rules, options)

    @property
    def info_keys(self) -> dict[str, str]:
        """The dotted keys of ``info``, with dtype and shape of one row."""
        infos = self.contents.envpool_infos()
        shown = {key: self.columns[column] for key, column in infos.items()}
        return {key: f"{field['dtype']} {field['shape']}" for key, field in shown.items()}

    @cached_property
    def dm_state(self) -> NestedTuple:
        """Returns what makes dm_env's observations, named tuples ``State``, of nested dicts."""
        return NestedTuple("State", self._dm_template)

    @cached_property
    def _dm_template(self) -> dict[str, Any]:
        """dm_env's specs of everything in an observation, as a nested dict."""
        observation = self.contents.dm_observation()
        shown = {key: self.columns[column] for key, column in observation.items()}
        return nest({key: dm_spec(field | {"name": key}) for key, field in shown.items()})

    def dm_observation(self) -> Any:
        """dm_env's specs of one environment's observation, as the named tuple ``State``."""
        return self.dm_state.build(self._dm_template)

    def dm_action(self) -> Any:
        """dm_env's spec of one environment's action, or a nested dict of several."""
        specs = {field["name"]: dm_spec(field) for field in self.action_fields}
        if self.described["action_structure"] == "single":
            return next(iter(specs.values()))
        return nest(specs)


class MultiSpaces(Spaces):
    """The observations, actions and infos of environments of several tasks.

    Args:
        described: What the native core tells of the fields that the tasks have in common.
        options: The environments' options.
        each: The spaces of each task.
    """

    shows_tasks = True

    def __init__(
        self, described: dict[str, Any], options: OptionValues, each: Sequence[Spaces]
    ) -> None:
        super().__init__(described, options)
        self._each = each
        self.info_rules = each[0].info_rules

    def made_of(self, what: Literal["observation", "action"], spaces: Any) -> Any:
        """The space of one environment's observation or action, made of ``spaces``.

        Args:
            what: Which of the two. Of actions it is the largest of the tasks'.
            spaces: Gymnasium's module of spaces, or an old gym's.
        """
        same = all(each.action_fields == self.action_fields for each in self._each)
        if what == "observation" or same:
            return self._each[0].made_of(what, spaces)
        return super().made_of(what, spaces)
