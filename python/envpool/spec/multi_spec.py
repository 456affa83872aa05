"""MultiSpec: what EnvSpec is for one task, for pools with environments of several tasks."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import ArgumentError
from envpool.spec.checks import resolve
from envpool.spec.config import COMMON_CONFIG
from envpool.spec.env_spec import EnvSpec
from envpool.spec.infos import InfoRules
from envpool.spec.lazy import lazy_property

if TYPE_CHECKING:
    from envpool.render.drawing import Drawer

TASK = "task"  # the info that tells of which task an environment is


class MultiType:
    """What specs ask of native environments, for those of several types.

    Args:
        specs: Those of the tasks.
    """

    def __init__(self, specs: Sequence[EnvSpec]) -> None:
        types = [spec.env_type for spec in specs]
        self.name = " + ".join(str(spec.id) for spec in specs)
        self.can_render = all(each.can_render for each in types)
        self.options = _common([each.options for each in types])
        self.reset_options = _common([each.reset_options for each in types])


def _common(each: list[dict[str, Any]]) -> dict[str, Any]:
    """The entries of the first one whose keys all have."""
    return {name: entry for name, entry in each[0].items() if all(name in other for other in each)}


class MultiSpec(EnvSpec):
    """The options, spaces and arrays of a pool with environments of several tasks.

    They are those of each task, which must be equal but for the number of discrete actions.

    Args:
        specs: Those of the tasks, each with as many environments as the pool has of it.
        task_of: For each environment, the index of its task.
        config: The options that all tasks share, ``tasks``, and what was given of others.

    Attributes:
        task_specs: Those of the tasks.
        task_of: The index of each environment's task.

    Raises:
        ArgumentError: The tasks' spaces or infos differ, or an option is not allowed.
    """

    def __init__(
        self, specs: Sequence[EnvSpec], task_of: Sequence[int], config: dict[str, Any]
    ) -> None:
        self.specs = list(specs)
        self.kind_of = list(task_of)
        self.env_type = MultiType(specs)  # type: ignore[assignment,misc]
        self.seed_bits = min(spec.seed_bits for spec in specs)  # type: ignore[misc]
        own = {name: specs[0].defaults.get(name) for name in config if name not in COMMON_CONFIG}
        self.defaults = COMMON_CONFIG | own  # type: ignore[misc]
        counts = [0] * len(specs)
        self._places: list[tuple[EnvSpec, int]] = []  # of environments: spec, index in it
        for task in task_of:
            self._places.append((specs[task], counts[task]))
            counts[task] += 1
        self.Config = namedtuple("Config", list(self.defaults))  # type: ignore[misc]
        self.config = resolve(self.Config(**config), self.env_type)
        self._described = _core.common_spec(
            [(str(spec.id), spec.env_type, spec.options_of(0)) for spec in specs]
        )
        self._check()
        self.config = self.config._replace(max_num_players=self.most_players)

    def _check(self) -> None:
        """Refuses what the native core does not know of."""
        first, *others = self.specs
        for spec in others:
            if spec.observation_space != first.observation_space:
                raise ArgumentError(
                    f"{first.id} and {spec.id} don't go together in one pool: the observation "
                    f"space is {first.observation_space} in the one and {spec.observation_space} "
                    "in the other"
                )
            if spec.info_rules != first.info_rules:
                raise ArgumentError(
                    f"{first.id} and {spec.id} don't go together in one pool: the infos of the one "
                    "are shown otherwise than those of the other"
                )
        shown = [*first.info_rules.in_envpool(self.infos), *self.observation_names]
        if any(key.split(".")[0] == TASK for key in shown):
            raise ArgumentError(
                f"{first.id} has {TASK!r} itself, which is the pool's own info here"
            )
        if self.config.render_mode is not None:
            self._require_pictures()

    def _require_pictures(self) -> None:
        """Refuses pictures that cannot be rows of one array."""
        first, *others = self.specs
        for spec in others:
            if spec.frame_size != first.frame_size:
                raise ArgumentError(
                    f"render_mode is {self.config.render_mode!r}, and pictures of {first.id} have "
                    f"the size {first.frame_size} and those of {spec.id} {spec.frame_size}: give "
                    "render_width and render_height"
                )
            if spec.drawer() is not first.drawer():
                raise ArgumentError(
                    f"render_mode is {self.config.render_mode!r}, but what draws {first.id} does "
                    f"not draw {spec.id}"
                )

    @property
    def task_specs(self) -> list[EnvSpec]:
        """The specs of the tasks."""
        return self.specs

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks."""
        return tuple(str(spec.id) for spec in self.specs)

    @property
    def shows_tasks(self) -> bool:
        """Yes: ``info["task"]`` tells of which task an environment is."""
        return True

    def place_of(self, env: int) -> tuple[EnvSpec, int]:
        """The spec of an environment's task, and which of that one's environments it is."""
        return self._places[env]

    def options_of(self, env: int) -> dict[str, Any]:
        """The own options of one environment, in the types that native code has."""
        spec, index = self._places[env]
        return spec.options_of(index)

    def given_options_of(self, env: int) -> dict[str, Any]:
        """The own options of one environment, as they were given."""
        spec, index = self._places[env]
        return spec.given_options_of(index)

    def _each_options(self) -> Iterator[dict[str, Any]]:
        """The environments' own options, one dict each."""
        of_tasks = [spec.options() for spec in self.specs]  # one dict each, or one per environment
        return (
            of_tasks[task][index % len(of_tasks[task])]
            for task, (_, index) in zip(self.kind_of, self._places, strict=True)
        )

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:  # type: ignore[override]
        """The same options, by our names; see :meth:`EnvSpec.own_names`."""
        return self.specs[0].own_names(kwargs)

    def describe_options(self) -> dict[str, str]:  # type: ignore[override]
        """A line about each option that all tasks have."""
        return _common([spec.describe_options() for spec in self.specs])

    def render_modes(self) -> list[str]:  # type: ignore[override]
        """The modes in which environments of all tasks can be rendered."""
        first, *others = self.specs
        return [
            mode
            for mode in first.render_modes()
            if all(mode in other.render_modes() for other in others)
        ]

    def pool_methods(self) -> tuple[str, ...]:  # type: ignore[override]
        """See :meth:`EnvSpec.pool_methods`: those of tasks that are all of one kind."""
        kinds = {spec.env_type.name for spec in self.specs}
        return self.specs[0].pool_methods() if len(kinds) == 1 else ()

    def pool_method(self, name: str, options: Sequence[dict[str, Any]]) -> Any:
        """See :meth:`EnvSpec.pool_method`."""
        return self.specs[0].pool_method(name, options)

    @lazy_property
    def info_rules(self) -> InfoRules:
        """How the environments' infos are shown."""
        return self.specs[0].info_rules

    @lazy_property
    def frame_size(self) -> tuple[int, int]:
        """Width and height of a rendered picture."""
        return self.specs[0].frame_size

    @property
    def render_metadata(self) -> dict[str, Any]:
        """What Gymnasium's wrappers want to know of rendering; the first task's."""
        return self.specs[0].render_metadata

    def drawer(self) -> type[Drawer] | None:  # type: ignore[override]
        """What draws the environments; None if they draw themselves."""
        return self.specs[0].drawer()

    def why_no_drawer(self) -> str:  # type: ignore[override]
        """What to say of an environment that does not draw itself and has no drawer either."""
        return self.specs[0].why_no_drawer()

    def space_of(self, what: Literal["observation", "action"], spaces: Any) -> Any:
        """The space of one environment's observation or action, made of ``spaces``.

        Args:
            what: Which of the two. Of actions it is the largest of the tasks'.
            spaces: Gymnasium's module of spaces, or an old gym's.
        """
        if what == "observation":
            return self.specs[0].space_of(what, spaces)
        same = all(spec.action_fields == self.action_fields for spec in self.specs)
        return self.specs[0].space_of(what, spaces) if same else super().space_of(what, spaces)

    @property
    def action_spaces(self) -> tuple[spaces.Space[Any], ...]:
        """The space of an action of each task."""
        return tuple(spec.action_space for spec in self.specs)

    @lazy_property
    def action_masks(self) -> NDArray[np.bool_] | None:
        """For each task which of the pool's actions it has; None where they are not discrete.

        Bool of shape ``(len(tasks), n)``.
        """
        largest = self.action_space
        if not isinstance(largest, gymnasium.spaces.Discrete):
            return None
        counts = [space.n for space in self.action_spaces if isinstance(space, type(largest))]
        masks: NDArray[np.bool_] = np.arange(largest.n) < np.array(counts)[:, None]
        return masks

    def check_infos(self, options: Iterable[dict[str, Any]]) -> None:
        """Refuses options with which environments would have other infos.

        Args:
            options: Those of each environment, in the types that native code has.

        Raises:
            ValueError: The infos would be others.
        """
        for (spec, _), own in zip(self._places, options, strict=True):
            spec.check_infos([own])
