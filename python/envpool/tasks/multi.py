"""Pools with environments of several tasks: what is known of them, and what makes them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import ArgumentError, shown
from envpool.flavours import flavour_of, pool_class, with_defaults
from envpool.spec.env_spec import EnvSpec
from envpool.spec.memory import require_memory
from envpool.spec.option_values import MultiValues, SharedOptions
from envpool.spec.options import COMMON, About, options_about, resolve
from envpool.spec.pictures import shared_pictures
from envpool.spec.spaces import MultiSpaces
from envpool.spec.values import MOST_ENVS, integer, is_per_env
from envpool.tasks.registry import PythonTask, class_of, registry

TASK = "task"  # the info that tells of which task an environment is
_PER_ENV = 400  # bytes that Python's lists of environments and their tasks take


class MultiPool:
    """A pool of several tasks. Results have ``info["task"]``, int32."""

    _spec: MultiSpec

    @property
    def tasks(self) -> tuple[str, ...]:
        """The ids of the tasks: ``info["task"]`` is an index of these."""
        return self._spec.tasks

    @property
    def task_of_env(self) -> NDArray[np.int32]:
        """The index of each environment's task, of shape ``(num_envs,)``."""
        return np.array(self._spec.kind_of, np.int32)

    @property
    def action_spaces(self) -> tuple[gymnasium.Space[Any], ...]:
        """Gymnasium's space of an action of each task; ``action_space`` is the largest of them."""
        return tuple(spec.action_space for spec in self._spec.task_specs)

    @functools.cached_property
    def action_masks(self) -> NDArray[np.bool_] | None:
        """Which actions each task has, bool of shape ``(len(tasks), action_space.n)``.

        ``action_masks[info["task"]]`` are those of a batch. None where actions are not discrete.
        """
        largest = self._spec.action_space
        if not isinstance(largest, gymnasium.spaces.Discrete):
            return None
        counts = [getattr(space, "n", 0) for space in self.action_spaces]
        masks: NDArray[np.bool_] = np.arange(largest.n) < np.array(counts)[:, None]
        return masks


class MultiSpec(EnvSpec):
    """The options, spaces and arrays of a pool with environments of several tasks.

    They are those of each task, which must be equal but for the number of discrete actions.

    Args:
        task_ids: The task of each environment.
        given: The options that were given.

    Raises:
        ArgumentError: The tasks' spaces or infos differ, or an option is not allowed.
    """

    spaces: MultiSpaces

    def __init__(self, task_ids: Sequence[str], given: dict[str, Any]) -> None:
        # Seeds, recordings and specs that are made of this one look for options by our names.
        given = _kind_of(task_ids[0]).known.own_names(given)
        self._task_ids, self._given = list(task_ids), given
        self.tasks = tuple(dict.fromkeys(task_ids))
        self.kind_of = [self.tasks.index(task_id) for task_id in task_ids]
        count = integer("num_envs", given.get("num_envs", len(task_ids)), 1, MOST_ENVS)
        if count != len(task_ids):
            raise ArgumentError(
                f"num_envs is {count}, and the tasks have {len(task_ids)} environments: leave it "
                "out"
            )
        of_pools = options_about(About.POOL)
        own = {name: value for name, value in given.items() if name not in of_pools}
        env_ids: dict[str, list[int]] = {}
        for env, task_id in enumerate(task_ids):
            env_ids.setdefault(task_id, []).append(env)
        self._specs = [_spec_of(task_id, ids, count, own) for task_id, ids in env_ids.items()]
        indices = [itertools.count() for _ in self._specs]
        # The spec of each environment's task, and which of that one's environments it is.
        self._places = [(self._specs[kind], next(indices[kind])) for kind in self.kind_of]
        # What is the same for all tasks, and what they were not told.
        config = {name: getattr(self._specs[0].config, name) for name in COMMON}
        config |= {name: given.get(name, COMMON[name].default) for name in of_pools}
        config |= own | {
            "num_envs": count,
            "tasks": tuple(task_ids),
            "reward_threshold": given.get("reward_threshold"),
            "max_episode_steps": max(spec.config.max_episode_steps for spec in self._specs),
        }
        self._combine(config)

    def _combine(self, config: dict[str, Any]) -> None:
        """Makes the parts of this spec from those of the tasks."""
        specs = self._specs
        self.known = SharedOptions(  # type: ignore[misc]
            [spec.known for spec in specs], " + ".join(self.tasks), list(config)
        )
        options = MultiValues(
            self.known,
            resolve(self.known.Config(**config), COMMON),
            self._given,
            [(spec.options, index) for spec, index in self._places],
        )
        described = _core.common_spec([(str(spec.id), spec.options.native) for spec in specs])
        spaces = MultiSpaces(described, options, [spec.spaces for spec in specs])
        self._check(spaces)
        drawn = [(str(spec.id), spec.pictures) for spec in specs]
        self._set_parts(options, spaces, shared_pictures(drawn, options.config.render_mode))

    def _check(self, spaces: MultiSpaces) -> None:
        """Refuses what the native core does not know of."""
        first, *others = self._specs
        for spec in self._specs:
            if type(spec).pool_around is not EnvSpec.pool_around:
                raise ArgumentError(
                    f"{spec.id} is among the tasks, expected others: a part of its pools is in "
                    "Python, which does not go together with other tasks"
                )
        for spec in others:
            if spec.observation_space != first.observation_space:
                why = (
                    f"the observation space is {first.observation_space} in the one and "
                    f"{spec.observation_space} in the other"
                )
            elif spec.spaces.info_rules != spaces.info_rules:
                why = "the infos of the one are shown otherwise than those of the other"
            else:
                continue
            raise ArgumentError(f"{first.id} and {spec.id} don't go together in one pool: {why}")
        shown_keys = [*spaces.info_rules.in_envpool(spaces.infos), *spaces.observation_names]
        if any(key.split(".")[0] == TASK for key in shown_keys):
            raise ArgumentError(
                f"{first.id} has {TASK!r} itself, which is the pool's own info here"
            )

    @staticmethod
    def make_pool(spec: MultiSpec, env_type: str, old_gym: bool | None, **kwargs: Any) -> Any:
        """See :meth:`EnvSpec.make`."""
        options = spec.options.changed(kwargs)
        return make_multi(spec._task_ids, flavour_of(env_type, old_gym), options)

    def changed(self, **kwargs: Any) -> MultiSpec:
        """A spec of the same tasks with some other options; see :meth:`EnvSpec.changed`."""
        return MultiSpec(self._task_ids, self.options.changed(kwargs))

    @property
    def task_specs(self) -> list[EnvSpec]:
        """The specs of the tasks."""
        return self._specs

    @property
    def engine(self) -> str:  # type: ignore[override]
        """The engines of all tasks; empty if they have none."""
        return " + ".join(dict.fromkeys(spec.engine for spec in self._specs if spec.engine))

    def place_of(self, env: int) -> tuple[EnvSpec, int]:
        """The spec of an environment's task, and which of that one's environments it is."""
        return self._places[env]

    def pool_methods(self) -> tuple[str, ...]:  # type: ignore[override]
        """See :meth:`EnvSpec.pool_methods`: those of tasks that are all of one kind."""
        kinds = {spec.known.name for spec in self._specs}
        return self._specs[0].pool_methods() if len(kinds) == 1 else ()

    def pool_method(self, name: str, options: Sequence[dict[str, Any]]) -> Any:
        """See :meth:`EnvSpec.pool_method`."""
        return self._specs[0].pool_method(name, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return MultiSpec, (self._task_ids, self._given)


def _kind_of(task_id: str) -> type[EnvSpec]:
    task = registry.find(task_id)
    if isinstance(task, PythonTask):
        raise ArgumentError(
            f"{task_id} is written in Python, and make_multi() is for native tasks: "
            "envpool.make_python() takes a list of functions, one for each environment"
        )
    kind: type[EnvSpec] = class_of(task_id, task, task.spec_cls)
    return kind


def _spec_of(
    task_id: str, env_ids: Sequence[int], num_envs: int, options: dict[str, Any]
) -> EnvSpec:
    """A task's spec, with its environments' share of options that are given per environment."""
    share, defaults = dict(options), _kind_of(task_id).known.defaults
    for name, value in options.items():
        if name not in COMMON and is_per_env(name, value, defaults.get(name), num_envs):
            share[name] = [value[i] for i in env_ids]
    return registry.make_spec(task_id, num_envs=len(env_ids), **share)


def _task_ids(tasks: Any) -> list[str]:
    """The task of each environment.

    Raises:
        TypeError: The tasks are neither a mapping nor a sequence of ids.
        ArgumentError: There are none, or there is no environment of one.
        MemoryError: There is no room for so many.
    """
    if isinstance(tasks, Mapping):
        ids = repeated(tasks.items())
    elif isinstance(tasks, Sequence) and not isinstance(tasks, str | bytes):
        ids = list(tasks)
    else:
        raise TypeError(
            f"tasks is {shown(tasks)}, expected a dict of numbers of environments by id, or a list "
            "with an id for each environment"
        )
    if not ids:
        raise ArgumentError("tasks is empty, expected at least one")
    return ids


def repeated(counts: Iterable[tuple[str, int]]) -> list[str]:
    """Each task as often as there are environments of it."""
    counts = [(task_id, integer(f"tasks[{task_id!r}]", n, 1, MOST_ENVS)) for task_id, n in counts]
    total = sum(count for _, count in counts)
    require_memory(total * _PER_ENV, f"a pool of {total} environments needs", ["their number"])
    return [task_id for task_id, count in counts for _ in range(count)]


def make_multi(tasks: Any, flavour: str, options: dict[str, Any]) -> Any:
    """See :func:`envpool.make_multi`; the flavour is one of :func:`envpool.flavours.flavour_of`."""
    spec = MultiSpec(_task_ids(tasks), with_defaults(flavour, options))
    return pool_class("Multi", __name__, flavour, MultiPool)(spec)
