"""What makes pools with environments of several tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from envpool.errors import ArgumentError, shown
from envpool.flavours import flavour_of, pool_class, with_defaults
from envpool.flavours.multi import MultiPool
from envpool.spec.config import COMMON_CONFIG, MOST_ENVS
from envpool.spec.env_spec import EnvSpec
from envpool.spec.integers import integer
from envpool.spec.memory import require_memory
from envpool.spec.multi_spec import MultiSpec
from envpool.spec.per_env import is_per_env
from envpool.tasks.registration import PythonTask, registry

_PER_ENV = 400  # bytes that Python's lists of environments and their tasks take

# Options that a pool has and not its tasks.
_OF_POOLS = frozenset(
    {
        "num_envs",
        "batch_size",
        "num_threads",
        "thread_affinity_offset",
        "thread_pool",
        "seed",
        "env_seed",
        "gym_reset_return_info",
        "render_env_id",
    }
)


class MultiEnvSpec(MultiSpec):
    """A :class:`MultiSpec` that knows what it was made of.

    Args:
        task_ids: The task of each environment.
        options: What else was given.
    """

    def __init__(self, task_ids: Sequence[str], options: dict[str, Any]) -> None:
        self._task_ids = list(task_ids)
        self._options = options
        tasks = list(dict.fromkeys(task_ids))
        task_of = [tasks.index(task_id) for task_id in task_ids]
        count = integer("num_envs", options.get("num_envs", len(task_ids)), 1, MOST_ENVS)
        if count != len(task_ids):
            raise ArgumentError(
                f"num_envs is {count}, and the tasks have {len(task_ids)} environments: leave it "
                "out"
            )
        own = {name: value for name, value in options.items() if name not in _OF_POOLS}
        specs = [
            _spec_of(task_id, [i for i, each in enumerate(task_ids) if each == task_id], count, own)
            for task_id in tasks
        ]
        # What is the same for all of them, and what the tasks were not told.
        config = {name: getattr(specs[0].config, name) for name in COMMON_CONFIG}
        config |= {name: options.get(name, COMMON_CONFIG[name]) for name in _OF_POOLS}
        config |= own | {
            "num_envs": count,
            "tasks": tuple(task_ids),
            "reward_threshold": options.get("reward_threshold"),
        }
        config["max_episode_steps"] = max(spec.config.max_episode_steps for spec in specs)
        super().__init__(specs, task_of, config)

    @classmethod
    def gen_config(cls, **kwargs: Any) -> Any:
        """Refused: these options are those of several tasks.

        Raises:
            TypeError: Always.
        """
        raise TypeError("the spec of several tasks has no config of its own: call make_multi()")

    @staticmethod
    def make_pool(spec: MultiEnvSpec, env_type: str, old_gym: bool | None, **kwargs: Any) -> Any:
        """See :meth:`EnvSpec.make`."""
        return make_multi(
            spec._task_ids, flavour_of(env_type, old_gym), spec.changed_options(kwargs)
        )

    def changed(self, **kwargs: Any) -> MultiEnvSpec:
        """A spec of the same tasks with some other options; see :meth:`EnvSpec.changed`."""
        return MultiEnvSpec(self._task_ids, self.changed_options(kwargs))

    def make_options(self) -> dict[str, Any]:
        """The options that make this spec again, beside the tasks."""
        return {name: value for name, value in self._options.items() if name != "num_envs"}

    def changed_options(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The options that were given, with these in the place of some of them."""
        kept = dict(self._options)
        if "seed" in kwargs:
            kept.pop("env_seed", None)
        return kept | kwargs

    def __reduce__(self) -> tuple[Any, ...]:
        return MultiEnvSpec, (self._task_ids, self._options)


def _spec_of(
    task_id: str, env_ids: Sequence[int], num_envs: int, options: dict[str, Any]
) -> EnvSpec:
    """A task's spec, with its environments' share of options that are given per environment."""
    task = registry.find(task_id)
    if isinstance(task, PythonTask):
        raise ArgumentError(
            f"{task_id} is written in Python, and make_multi() is for native tasks: "
            "envpool.make_python() takes a list of functions, one for each environment"
        )
    kind = registry.spec_class(task_id, task)
    share = {}
    for name, value in kind.own_names(options).items():
        default = kind.defaults.get(name)
        is_own = name not in COMMON_CONFIG
        is_list = is_own and is_per_env(name, value, default, num_envs)
        share[name] = [value[i] for i in env_ids] if is_list else value
    return registry.make_spec(task_id, num_envs=len(env_ids), **share)


def _task_ids(tasks: Any) -> list[str]:
    """The task of each environment.

    Raises:
        TypeError: The tasks are neither a mapping nor a sequence of ids.
        ArgumentError: There are none, or there is no environment of one.
        MemoryError: There is no room for so many.
    """
    if isinstance(tasks, Mapping):
        for task_id, count in tasks.items():
            integer(f"tasks[{task_id!r}]", count, 1, MOST_ENVS)
        count = sum(tasks.values())
        require_memory(count * _PER_ENV, f"a pool of {count} environments needs", ["their number"])
        ids = [task_id for task_id, count in tasks.items() for _ in range(count)]
    elif isinstance(tasks, Sequence) and not isinstance(tasks, str | bytes):
        ids = list(tasks)
    else:
        raise TypeError(
            f"tasks is {shown(tasks)}, expected a dict of numbers of environments by id, or a list "
            "with an id for each environment"
        )
    if not ids:
        raise ArgumentError("tasks is empty, expected at least one")
    for i, task_id in enumerate(ids):
        if not isinstance(task_id, str):
            raise TypeError(f"tasks[{i}] is {shown(task_id)}, expected the id of a task")
    return ids


def make_multi_spec(counts: Sequence[tuple[str, int]], options: dict[str, Any]) -> MultiEnvSpec:
    """The spec of a pool of several tasks.

    Args:
        counts: Tasks, with how many environments there are of each one after the other.
        options: What else is given.

    Raises:
        MemoryError: There is no room for so many. Other errors as for :func:`make_multi`.
    """
    count = sum(number for _, number in counts)
    integer("num_envs", count, 1, MOST_ENVS)
    require_memory(count * _PER_ENV, f"a pool of {count} environments needs", ["their number"])
    return MultiEnvSpec([task_id for task_id, number in counts for _ in range(number)], options)


def make_multi(tasks: Any, flavour: str, options: dict[str, Any]) -> Any:
    """See :func:`envpool.make_multi`; the flavour is one of :func:`envpool.flavours.flavour_of`."""
    spec = MultiEnvSpec(_task_ids(tasks), with_defaults(flavour, options))
    return pool_class("Multi", __name__, flavour, MultiPool)(spec)
