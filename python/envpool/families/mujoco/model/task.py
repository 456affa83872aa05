"""Task: a robot, what is observed of it, how it varies, and what is rewarded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool.families.mujoco.distributions import Distribution


class Outcome(NamedTuple):
    """What a batch is worth: arrays with an entry for each of its rows.

    Attributes:
        reward: Numbers of shape ``(n,)``.
        terminated: Bools of shape ``(n,)``, True where the episode ends; None: nowhere.
        info: Arrays of shape ``(n, ...)`` that infos have.
    """

    reward: NDArray[Any]
    terminated: NDArray[np.bool_] | None = None
    info: Mapping[str, NDArray[Any]] = {}


class Memory(MutableMapping[str, NDArray[Any]]):
    """What a task remembers of each environment: arrays with a row for each row of a batch.

    Arrays are read and set as a whole; what is added to one in place is not kept.

    Args:
        arrays: All of them, with a row for each environment.
        env_id: The environments of the batch's rows.
        begins: In which rows an episode begins, whose rows are 0; None: in none.
    """

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        env_id: NDArray[np.int32],
        begins: NDArray[np.bool_] | None,
    ) -> None:
        self._arrays, self._env_id, self._begins = arrays, env_id, begins
        self._changed: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name in self._changed:
            return self._changed[name]
        rows: NDArray[Any] = self._array(name)[self._env_id]
        if self._begins is not None:
            rows[self._begins] = 0.0
        return rows

    def __setitem__(self, name: str, rows: Any) -> None:
        shape = (len(self._env_id), *self._array(name).shape[1:])
        array = np.asarray(rows, np.float64)
        # broadcast_to takes as long as a small reward.
        self._changed[name] = array if array.shape == shape else np.broadcast_to(array, shape)

    def __delitem__(self, name: str) -> None:
        raise TypeError("the task's attribute memory says what it has")

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def keep(self) -> None:
        """Lets what was set hold for the next batches."""
        names = self._changed if self._begins is None else self._arrays
        for name in names:
            self._arrays[name][self._env_id] = self[name]

    def _array(self, name: str) -> NDArray[Any]:
        try:
            return self._arrays[name]
        except KeyError:
            known = ", ".join(self._arrays) or "nothing"
            raise KeyError(f"the task's memory has no {name!r}, but {known}") from None


class Batch:
    """Rows of environments, with the arrays that a task's ``observation`` and ``watch`` name.

    ``batch["qpos"]`` has the shape ``(n, nq)``, ``batch["site_xpos:hand"]`` ``(n, 3)``; what is one
    number of each environment has the shape ``(n,)``. They are float64.

    Args:
        arrays: These arrays.
        env_id: As below.
        elapsed_step: As below.
        memory: What the task remembers.

    Attributes:
        env_id: The environments' ids, int32 of shape ``(n,)``.
        elapsed_step: The steps of their episodes so far, likewise; 0 where an episode begins.
        memory: What the task remembers of these environments.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[np.float64]],
        env_id: NDArray[np.int32],
        elapsed_step: NDArray[np.int32],
        memory: Memory,
    ) -> None:
        self._arrays = arrays
        self.env_id, self.elapsed_step, self.memory = env_id, elapsed_step, memory

    @property
    def first(self) -> NDArray[np.bool_]:
        """True where an episode begins, whose row has no reward."""
        first: NDArray[np.bool_] = self.elapsed_step == 0
        return first

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        try:
            return self._arrays[name]
        except KeyError:
            known = ", ".join(map(repr, self._arrays))
            raise KeyError(
                f"the batch has no {name!r}, expected a name that the task's observation or watch "
                f"has: {known}"
            ) from None

    def __len__(self) -> int:
        return len(self.env_id)


class Task:
    """A robot of one's own; a base for classes that say what is theirs.

    Names are those of arrays of MuJoCo's ``mjData``, such as ``"qpos"``, ``mjModel``, such as
    ``"geom_friction"``, or ``mjOption``, such as ``"opt.gravity"``; behind a colon there may be the
    object whose row is meant, as in ``"site_xpos:hand"`` or ``"qpos:elbow"``, and in brackets a
    slice of its numbers, as in ``"qpos[1:]"``.

    Attributes:
        model: The path of its file, XML, or a ``mujoco.MjSpec`` or ``mujoco.MjModel``.
        frame_skip: How many steps of the simulation make a step.
        observation: The names of what is observed, one behind the other in one array; or a dict of
            such lists, for an observation that is a dict of arrays.
        observed_size: How many numbers ``observe`` returns of each environment; 0: the task does
            not have that method.
        watch: The names of what ``reward`` and ``observe`` need beside what is observed.
        randomise: By name how an array differs from episode to episode, drawn in this order.
        keyframe: The model's keyframe in which episodes begin; empty: its initial state.
        max_episode_steps: Episodes are truncated after so many steps; None: never.
        cameras: By name of a camera the height and width of its picture, which is observed beside
            the state.
        memory: By name the shape of what ``reward`` remembers of each environment: float64, 0 when
            an episode begins.
    """

    model: Any = None
    frame_skip: int = 1
    observation: Sequence[str] | Mapping[str, str | Sequence[str]] = ("qpos", "qvel")
    observed_size: int = 0
    watch: Sequence[str] = ()
    randomise: Mapping[str, Distribution] = {}
    keyframe: str = ""
    max_episode_steps: int | None = None
    cameras: Mapping[str, tuple[int, int]] = {}
    memory: Mapping[str, tuple[int, ...]] = {}

    # The attributes that are options of pools by the same names.
    OPTIONS: ClassVar = (
        *("model", "frame_skip", "observation", "observed_size", "watch", "randomise"),
        *("keyframe", "max_episode_steps", "cameras"),
    )

    def reward(self, batch: Batch) -> Outcome | NDArray[Any]:
        """Rewards of a batch, in one call; without this method they are 0.

        Called in the thread of the caller who receives the batch. Rows in which an episode begins
        are among the others, so that memory can begin with them; what is returned of them is only
        used as an info.

        Args:
            batch: The rows.

        Returns:
            An :class:`Outcome`, or only the array of rewards.
        """
        return np.zeros(len(batch))

    def observe(self, batch: Batch) -> NDArray[Any]:
        """Observations of a batch, which take the place of the list ``observation``.

        What that list names is then in the batch, too. Called after ``reward``, as that is; but its
        batch also has rows that are only observed, and no memory.

        Args:
            batch: The rows.

        Returns:
            Numbers of shape ``(n, observed_size)``, which become float64.
        """
        raise NotImplementedError

    def start(self, generator: np.random.Generator, env_id: int) -> Mapping[str, Any] | None:
        """Says what an episode begins with, where ``randomise`` cannot express that.

        Called once for each episode of each environment, before it begins, in the thread of the
        caller who steps or resets the environment. What ``reset`` or ``next_episode`` is given
        comes before what this returns, and what this returns before what ``randomise`` draws.

        Args:
            generator: ``numpy.random.default_rng([seed, k])``, where the environment was given that
                seed last, and this is its episode k since then, from 0.
            env_id: The environment.

        Returns:
            Arrays by their names, as options of ``reset`` have them; None: nothing.
        """
        return None

    @property
    def has_start(self) -> bool:
        """True if its class has a method ``start``."""
        return type(self).start is not Task.start

    @property
    def has_observe(self) -> bool:
        """True if its class has a method ``observe``."""
        return type(self).observe is not Task.observe

    @property
    def judges(self) -> bool:
        """True if its class has ``reward`` or ``observe``; otherwise there is only physics."""
        return self.has_observe or type(self).reward is not Task.reward

    def __repr__(self) -> str:
        own = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({own})"
