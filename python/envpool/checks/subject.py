"""Subject: the task that is checked, how it is made, and the actions that it is played with."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from envpool.checks.probe import Asked, Event, Play, Probe
from envpool.errors import ArgumentError
from envpool.spec import masks
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import Field, bounds
from envpool.spec.values import INT_MAX
from envpool.tasks.python_makers import make_one, make_python_spec, make_workers
from envpool.tasks.registration import PythonTask, registry
from envpool.workers.factories import function_of, make_factories

SEED = 1000
NUM_ENVS = 4

_SHORT = 12  # steps, so that episodes end while few steps are played
_FAR = 1e30  # bounds beyond it bound nothing
_LARGE = 1e6  # an action where there is no bound
_PERIOD = 256  # steps, after which an environment's actions come again

# Makes an array of a field's actions, of the shape that is given.
Choose = Callable[[Field, np.random.Generator, tuple[int, ...]], NDArray[Any]]


def uniform(field: Field, random: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
    """Anything within the bounds; where there are none, within 1 of the other one or of 0."""
    low, high = bounds(field)
    chosen: NDArray[Any]
    if low.dtype.kind == "f":
        least = np.where(low < -_FAR, np.minimum(high, 0) - 1, low)
        most = np.where(high > _FAR, np.maximum(low, 0) + 1, high)
        chosen = np.clip(random.uniform(least, most, shape).astype(low.dtype), low, high)
    else:
        whole = np.dtype(np.int64) if low.dtype == np.bool_ else low.dtype
        ends = low.astype(whole), high.astype(whole)
        chosen = random.integers(*ends, shape, whole, endpoint=True).astype(low.dtype)
    return chosen


def at_bounds(field: Field) -> tuple[NDArray[Any], NDArray[Any]]:
    """The bounds of a field's elements; where there are none, large numbers."""
    low, high = bounds(field)
    if low.dtype.kind != "f":
        return low, high
    return np.nan_to_num(low, neginf=-_LARGE), np.nan_to_num(high, posinf=_LARGE)


def at_either_bound(
    field: Field, random: np.random.Generator, shape: tuple[int, ...]
) -> NDArray[Any]:
    """Each element at its lower or upper bound."""
    return np.where(random.random(shape) < 0.5, *at_bounds(field))  # noqa: PLR2004 - a coin


def constantly(choose: Callable[[Field], NDArray[Any]]) -> Choose:
    """The same for all steps and environments.

    Args:
        choose: Returns what a field has.
    """
    return lambda field, random, shape: np.broadcast_to(choose(field), shape)


class Actions:
    """Actions that depend on nothing but the environment's id and how many it has taken.

    So environments get the same ones however they are batched. Where these are masked, an allowed
    one follows from each that is not.

    Args:
        spec: Whose actions.
        choose: Makes them.
    """

    def __init__(self, spec: EnvSpec, choose: Choose = uniform) -> None:
        self._fields = spec.spaces.action_fields
        self._players = spec.spaces.most_players
        self._choose = choose
        self._tables: dict[int, list[NDArray[Any]]] = {}

    def of(
        self,
        ids: NDArray[Any],
        taken: NDArray[Any],
        players: NDArray[Any],
        asked: Sequence[Asked] = (),
    ) -> Any:
        """The actions that a native pool takes for these environments.

        Args:
            ids: The environments.
            taken: How many actions each of them has taken already.
            players: How many players each of them has.
            asked: What each of them allows, if they have masks.

        Raises:
            ArgumentError: A mask is wrong; see :func:`envpool.spec.masks.allow`.
        """
        arrays = []
        for index, field in enumerate(self._fields):
            rows = [
                self._table(env)[index][step % _PERIOD, : count if field["per_player"] else 1]
                for env, step, count in zip(
                    ids.tolist(), taken.tolist(), players.tolist(), strict=True
                )
            ]
            array = np.concatenate(rows)
            arrays.append(self._allowed(field, array, ids, asked) if asked else array)
        return arrays[0] if len(arrays) == 1 else tuple(arrays)

    def _allowed(
        self, field: Field, action: NDArray[Any], ids: NDArray[Any], asked: Sequence[Asked]
    ) -> NDArray[Any]:
        is_single = len(self._fields) == 1
        parts = [masks.mask_of(each.place, field["name"], is_single) for each in asked]
        if any(part is None for part in parts):
            return action
        counts = [each.players if field["per_player"] else 1 for each in asked]
        steps, over = ([getattr(each, name) for each in asked] for name in ("step", "is_over"))
        rows = masks.Rows(*(np.repeat(each, counts) for each in (ids, steps, over)))
        return masks.allow(field, action, np.concatenate(parts), rows)

    def _table(self, env: int) -> list[NDArray[Any]]:
        """All actions of an environment: for each field, ``[step, player]``."""
        if env not in self._tables:
            random = np.random.default_rng(env)
            self._tables[env] = [
                self._choose(field, random, (_PERIOD, self._players, *field["shape"]))
                for field in self._fields
            ]
        return self._tables[env]


@dataclasses.dataclass(frozen=True)
class Subject:
    """The task that is checked.

    Attributes:
        task_id: The task.
        options: Those that it is made with.
        quick: Look less closely?
        python: What makes the environments, if they are written in Python.
    """

    task_id: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    quick: bool = False
    python: PythonTask | None = None

    @classmethod
    def of(cls, task: Any, options: Mapping[str, Any], quick: bool = False) -> Subject:
        """The subject that a user names.

        Args:
            task: A task's id, or what :func:`envpool.make_python` makes environments of.
            options: Options of the task.
            quick: Look less closely?

        Raises:
            UnknownTaskError: There is no such task.
            gymnasium.error.Error, ImportError: There is no such environment in Python.
            TypeError: Nothing can be made of it.
            ArgumentError: It cannot be pickled.
        """
        found = registry.find(task) if isinstance(task, str) else PythonTask(task, {})
        name = task if isinstance(task, str) else getattr(task, "__name__", "Python")
        if not isinstance(found, PythonTask):
            return cls(name, options, quick)
        make_factories(found.source)  # which is not found, or cannot make environments
        try:
            cloudpickle.dumps(found)
        except Exception as error:
            raise ArgumentError(
                f"{name} cannot be pickled, and the checks run in another process: {error}"
            ) from error
        return cls(name, options, quick, found)

    @property
    def steps(self) -> int:
        """The number of results of each environment that are looked at."""
        return 40 if self.quick else 160

    def spec(self, **options: Any) -> EnvSpec:
        """The task's spec, with further options."""
        defaults = {"num_envs": NUM_ENVS, "seed": SEED}
        if self.python is None:
            given = {"num_threads": 1} | defaults | dict(self.options) | options
            return registry.make_spec(self.task_id, **given)
        given = self._python_options(defaults | options)
        spec = make_python_spec(self.python.source, given, self.task_id)
        spec.open_workers = functools.partial(make_workers, self.python.source, given)
        return spec

    def make_bare(self) -> Any:
        """One environment without a pool, written in Python."""
        assert self.python
        return make_one(self.python.source, self._python_options({}))

    def _python_options(self, options: dict[str, Any]) -> dict[str, Any]:
        assert self.python
        given = {"num_workers": 0} | self.python.kwargs | dict(self.options) | options
        if "render_mode" in options and callable(function_of(self.python.source)):
            own = {"render_mode": options["render_mode"]}
            given["env_kwargs"] = dict(given.get("env_kwargs", {})) | own
        return given

    def threads(self, count: int) -> dict[str, Any]:
        """Options for so many threads; none in Python, where this process runs environments."""
        return {"num_threads": count} if self.python is None else {}

    def spec_with_ends(self, **options: Any) -> EnvSpec:
        """The same, with a time limit that ends episodes after a few steps."""
        limit = min(self.options.get("max_episode_steps", INT_MAX), _SHORT)
        return self.spec(**({"max_episode_steps": limit} | options))


def played(
    spec: EnvSpec, steps: int, choose: Choose = uniform, one_by_one: bool = False
) -> list[list[Event]]:
    """Plays a new pool: the results of each environment from its first reset on.

    Args:
        spec: What to make.
        steps: How many.
        choose: Makes the actions.
        one_by_one: Run one environment at a time?
    """
    with Probe(spec) as probe:
        return Play(probe, Actions(spec, choose), one_by_one).start().run(steps).events
