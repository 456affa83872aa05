"""ModelEnvSpec: what is known of a task with a model of one's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

from envpool.errors import ArgumentError, shown
from envpool.families.mujoco.model.judged_pool import JudgedPool
from envpool.families.mujoco.model.recorded_pool import RecordedPool
from envpool.families.mujoco.model.source import is_kept, model_text
from envpool.families.mujoco.model.starting_pool import StartingPool
from envpool.families.mujoco.model.task import Task
from envpool.families.mujoco.spec import MujocoEnvSpec, MujocoOptions, MujocoSpaces, declared
from envpool.flavours.arguments import check_reset_options
from envpool.spec.infos import InfoRules
from envpool.spec.plans import Plans
from envpool.spec.values import AutoresetMode, parse_mode


def _names(option: str, given: Any) -> list[str]:
    """A list of names of arrays."""
    if isinstance(given, str):
        return [given]
    names = list(given) if isinstance(given, Iterable) else [given]
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{option} has {shown(name)}, expected names of arrays")
    return names


def _observed(given: Any) -> dict[str, list[str]]:
    """The names by the keys of an observation; the key of one that is no dict is empty."""
    if not isinstance(given, Mapping):
        return {"": _names("observation", given)}
    for key in given:
        if not isinstance(key, str) or not key.isidentifier() or key == "obs":
            raise ArgumentError(
                f"observation has the key {shown(key)}, expected letters, digits and _, and not obs"
            )
    return {key: _names(f"observation[{key!r}]", names) for key, names in given.items()}


class ModelOptions(MujocoOptions):
    """Options that a :class:`Task` says together."""

    further: ClassVar = {
        **MujocoOptions.further,
        "task": declared(
            None, "an envpool.mujoco.Task, whose attributes are defaults of the others"
        ),
    }

    def own_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.own_names`; here the task's attributes are options, too.

        Args:
            kwargs: Values of options.

        Raises:
            TypeError: ``task`` is no :class:`Task`, nor a class of them, or the model is none.
            ArgumentError: There is no such file of a model, or it does not compile.
        """
        result = super().own_names(kwargs)
        task = result.get("task")
        if isinstance(task, type) and issubclass(task, Task):
            task = result["task"] = task()
        if task is not None:
            if not isinstance(task, Task):
                raise TypeError(f"task is {shown(task)}, expected an envpool.mujoco.Task")
            given = {name: getattr(task, name) for name in Task.OPTIONS}
            result = {name: each for name, each in given.items() if each is not None} | result
        if "model" in result:
            result["model"] = model_text(result["model"])
        return result

    def to_native(self, options: dict[str, Any]) -> dict[str, Any]:
        """See :meth:`KnownOptions.to_native`.

        Args:
            options: Values by name, as the caller gave them, or as native code has them.

        Raises:
            TypeError: One is no list of names, or no dict of distributions.
            ArgumentError: A key or number is not allowed.
        """
        native = super().to_native(options)
        task = native.pop("task", None)
        if task is not None and isinstance(options["randomise"], list):  # of set_attr
            raise ArgumentError("task cannot be changed: make another pool")
        observed = _observed(native["observation"])
        watched = _names("watch", native["watch"])
        observes = task is not None and task.has_observe
        if "task" in options and bool(native["observed_size"]) != observes:
            raise ArgumentError(
                f"observed_size is {native['observed_size']} for {task}, expected how many numbers "
                "the task's observe() returns of each environment, or 0 without that method"
            )
        if task is not None and task.judges:
            names = [name for each in observed.values() for name in each]
            watched = list(dict.fromkeys([*names, *watched]))
            observed = {} if observes else observed
        entries = [(key, name) for key, names in observed.items() for name in names]
        native["observation"] = [f"{key}={name}" if key else name for key, name in entries]
        native["watch"] = watched
        return native


class ModelSpaces(MujocoSpaces):
    """Spaces of a model: what rewards are computed from is among the infos of no API."""

    def _rules_of(self, options: Iterable[dict[str, Any]]) -> Iterator[InfoRules]:
        hidden = tuple(self.infos)
        yield InfoRules(only_envpool=hidden, only_gymnasium=hidden)


class ModelEnvSpec(MujocoEnvSpec):
    """An :class:`EnvSpec` of a task with a model of one's own.

    Observations are float64 of shape ``(n,)``, or ``(frame_stack, n)`` if that is more than 1, or a
    dict of such arrays; with ``from_pixels`` uint8 of shape ``(3 * frame_stack, height, width)``.
    Actions are float64 with a number for each control of the model, between the limits that it has.
    """

    known_class = ModelOptions
    spaces_class = ModelSpaces

    def changed(self, **kwargs: Any) -> Self:
        """See :meth:`EnvSpec.changed`; the task that the spec has says nothing anew."""
        if kwargs.get("task") is self.config.task:
            kwargs.pop("task", None)
        return super().changed(**kwargs)

    def pool_around(self, make: Callable[[Plans], Any], plans: Plans) -> Any:
        """See :attr:`EnvSpec.pool_around`; here a task says rewards, and how episodes begin.

        Raises:
            ArgumentError: An option does not go with rewards that are computed by batches, or
                ``record`` not with a task without an id.
        """
        task: Task | None = self.config.task
        if task is None:
            return make(plans)
        if self.config.record is not None:
            self._leave_out(task)

        def make_around(plans: Plans) -> Any:
            pool = make(plans)
            if self.config.record is not None and (task.memory or task.has_start):
                pool = RecordedPool(pool, task)
            if not task.has_start:
                return pool
            read = functools.partial(check_reset_options, self)
            return StartingPool(pool, task, read, len(self.known.reset), self.options.seeds())

        if not task.judges:
            return make_around(plans)
        self._require_judging(task)
        columns = dict(zip(self.options.of(0)["watch"], self.spaces.infos, strict=True))
        return JudgedPool(make_around, plans, task, columns, self.config.num_envs)

    def _require_judging(self, task: Task) -> None:
        """Refuses options that do not go with rewards of whole batches."""
        if parse_mode(self.config.autoreset_mode) is AutoresetMode.SAME_STEP:
            raise ArgumentError(
                f"autoreset_mode is 'SameStep', expected 'NextStep' or 'Disabled' for {task}, "
                "whose rewards are computed of whole batches, when they are received: only then it "
                "is known which episodes end"
            )
        if task.has_observe and (self.config.frame_stack > 1 or self.config.from_pixels):
            raise ArgumentError(f"frame_stack and from_pixels do not go with observe() of {task}")

    def _leave_out(self, task: Task) -> None:
        """Has recordings leave out what the task's id stands for.

        Raises:
            ArgumentError: The task has no id, or its model is neither a file nor the id's.
        """
        if self.id is None:
            raise ArgumentError(
                f"record is given, expected None for {task}, which has no id, by which a replay "
                "finds it: register() it, and make the pool by that id"
            )
        model = self.config.model
        is_own = task.model is not None and model_text(task.model) == model
        self.unrecorded = ["task", "model"] if is_own else ["task"]
        if not is_own and is_kept(model):
            raise ArgumentError(
                "model is given, and no file, which a recording cannot keep: give a path, or "
                f"register() a task with it instead of {task}"
            )
