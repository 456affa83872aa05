"""Group: makes environments of a pool of one object that steps them as a batch.

Such an object has these attributes and methods::

    observation_space, action_space: gymnasium.Space  # of one environment
    info_space: gymnasium.spaces.Dict  # of its info; may be left out

    def reset(self, seeds, ids): ...  # returns (observations, infos)
    def step(self, actions, ids): ...
    # returns (observations, rewards, terminated, truncated, infos)

Everything has a row for each of the ids, infos are a dict of arrays. An environment's seed is an
integer in its first reset, and None where it goes on with its own generator. Snapshots need
``get_state(env_id)``, whose result can be pickled, and ``set_state(env_id, state)``.
"""

from __future__ import annotations

import copy
import functools
import os
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from envpool.errors import ArgumentError, shown
from envpool.workers.spaces import SpaceLeaves

Ids = NDArray[np.int32]
Seeds = list[int | None]


class Batch(Protocol):
    """An object that steps environments as a batch."""

    observation_space: spaces.Space[Any]
    action_space: spaces.Space[Any]

    def reset(self, seeds: Seeds, ids: Ids) -> tuple[Any, Any]:
        """Starts new episodes of these environments."""

    def step(self, actions: Any, ids: Ids) -> tuple[Any, Any, Any, Any, Any]:
        """Steps these environments."""


class Group:
    """The environments of one object, whose results are kept in arrays with a row for each.

    The native core copies actions to :attr:`actions` before :meth:`step`, and reads all other
    arrays after it and after :meth:`reset`.

    Args:
        batch: The object.
        num_envs: How many environments it has.

    Attributes:
        actions: An array for each leaf of the action space, all of shape ``(num_envs, ...)``.
        observations: The same of the observation space.
        infos: And of the infos.
        outcomes: Rewards of steps (float64), and whether they have terminated or truncated their
            episodes (bool).

    Raises:
        TypeError: It lacks something.
        ArgumentError: A space has parts that are no arrays.
    """

    def __init__(self, batch: Batch, num_envs: int) -> None:
        for name in ("reset", "step"):
            if not callable(getattr(batch, name, None)):
                raise TypeError(
                    f"what steps a batch is {shown(batch)}, expected an object with the methods "
                    "reset(seeds, ids) and step(actions, ids), a VectorEnv, or JAX environments"
                )
        self.batch = batch
        self.info_space = getattr(batch, "info_space", None)
        self._num_envs = num_envs
        self._action = _leaves(batch, "action_space", "action")
        self._observation = _leaves(batch, "observation_space", "obs")
        self._info = None if self.info_space is None else _leaves(batch, "info_space", "info")
        self.actions = _rows(self._action, num_envs)
        self.observations = _rows(self._observation, num_envs)
        self.infos = [] if self._info is None else _rows(self._info, num_envs)
        self.outcomes = [np.zeros(num_envs), *np.zeros((2, num_envs), np.bool_)]
        self._all_ids = np.arange(num_envs, dtype=np.int32)
        self._all_in_order = list(range(num_envs))
        self._asked: list[tuple[int, int | None, Any]] = []
        self._owner = os.getpid()

    def seats(self) -> list[Callable[..., Seat]]:
        """Returns what makes each of its environments, as pools know them.

        These take the options that the object was made with, which are in pools' specs.
        """
        return [functools.partial(Seat, self, env_id) for env_id in range(self._num_envs)]

    def step(self, env_ids: list[int]) -> None:
        """Steps these environments with their rows of actions."""
        self._check_process()
        ids, where = self._places(env_ids)
        actions = self._action.assemble([array[where] for array in self.actions])
        returned = self.batch.step(actions, ids)
        observation, *columns, info = _of_length(returned, 5, "step")
        names = ("reward", "terminated", "truncated")
        for name, array, column in zip(names, self.outcomes, columns, strict=True):
            _put(array, where, column, f"step() returned as {name}")
        self._keep(observation, info, where, "step")

    def reset(self) -> None:
        """Does the resets that seats were asked for since the last call."""
        self._check_process()
        asked, self._asked = self._asked, []
        ids, where = self._places([env_id for env_id, *_ in asked])
        seeds = [seed for _, seed, _ in asked]
        options = [each for *_, each in asked]
        given = {} if all(each is None for each in options) else {"options": options}
        observation, info = _of_length(self.batch.reset(seeds, ids, **given), 2, "reset")
        self._keep(observation, info, where, "reset")

    def ask_for_reset(self, env_id: int, seed: int | None, options: Any) -> None:
        """Notes a reset for the next call of :meth:`reset`."""
        self._asked.append((env_id, seed, options))

    def last_observation(self, env_id: int) -> Any:
        """A copy of what an environment has observed last."""
        return copy.deepcopy(
            self._observation.assemble([array[env_id] for array in self.observations])
        )

    def _places(self, env_ids: list[int]) -> tuple[Ids, Any]:
        """The ids, and which rows of arrays are theirs."""
        if env_ids == self._all_in_order:
            return self._all_ids, slice(None)
        ids = np.array(env_ids, np.int32)
        return ids, ids

    def _keep(self, observation: Any, info: Any, where: Any, method: str) -> None:
        for leaf, array in zip(self._observation.arrays, self.observations, strict=True):
            _put(array, where, leaf.of(observation), f"{method}() returned as {leaf.name}")
        if self._info is None:
            return
        for leaf, array in zip(self._info.arrays, self.infos, strict=True):
            _put(array, where, leaf.of(info), f"{method}() returned as info {leaf.name}")

    def _check_process(self) -> None:
        """Refuses a forked child: JAX's threads, say, are not there, and it would wait for ever."""
        if os.getpid() != self._owner:
            raise RuntimeError(
                "this process was forked from the one that has made the environments, which go on "
                "there: make a pool in each process, after the fork"
            )


class Seat:
    """One environment of a group, as the pool knows it.

    Args:
        group: The group.
        env_id: Which one.
        **_: The object's options.
    """

    def __init__(self, group: Group, env_id: int, **_: Any) -> None:
        batch: Any = group.batch
        self.envpool_group = group
        self._batch = batch
        self._env_id = env_id
        self.observation_space = batch.observation_space
        self.action_space = batch.action_space
        self.metadata = getattr(batch, "metadata", None)
        self._was_reset = False

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[None, dict[str, Any]]:
        """Notes that it is to be reset, which is done before its row is read."""
        if seed is None and not self._was_reset:
            seed = secrets.randbits(31)  # or else all environments of JAX had the same key
        self._was_reset = True
        self.envpool_group.ask_for_reset(self._env_id, seed, options)
        return None, {}

    def step(self, action: Any) -> None:
        """Not called: the group steps it."""
        raise NotImplementedError

    def get_state(self) -> Any:
        """Its state, of which the object knows."""
        return self._batch.get_state(self._env_id)

    def set_state(self, state: Any) -> None:
        """Puts it into a saved state.

        Raises:
            RuntimeError: It was never reset, so that there is no first observation.
        """
        if not self._was_reset:
            raise RuntimeError("it was never reset, expected a reset before set_state()")
        self._batch.set_state(self._env_id, state)

    def copy_last(self) -> tuple[Any, dict[str, Any]]:
        """A copy of what it has observed last; its infos are columns."""
        return self.envpool_group.last_observation(self._env_id), {}

    def close(self) -> None:
        """Closes the object with its first environment."""
        close = getattr(self._batch, "close", None)
        if self._env_id == 0 and callable(close):
            close()


def _leaves(batch: Any, attribute: str, name: str) -> SpaceLeaves:
    space = getattr(batch, attribute, None)
    expected = spaces.Dict if name == "info" else spaces.Space
    if not isinstance(space, expected):
        raise TypeError(f"{attribute} is {shown(space)}, expected a {expected.__name__}")
    leaves = SpaceLeaves(space, name)
    for leaf in leaves.objects:
        raise ArgumentError(
            f"{attribute} has a part {leaf.space}, which is not an array: environments that step "
            "as a batch have only arrays"
        )
    return leaves


def _rows(leaves: SpaceLeaves, num_envs: int) -> list[NDArray[Any]]:
    return [
        np.zeros((num_envs, *(leaf.space.shape or ())), leaf.space.dtype) for leaf in leaves.arrays
    ]


def _of_length(returned: Any, count: int, method: str) -> Sequence[Any]:
    if not isinstance(returned, tuple | list) or len(returned) != count:
        names = ("observations", "rewards", "terminated", "truncated", "infos")
        expected = ", ".join(names if count == len(names) else (names[0], names[-1]))
        raise TypeError(f"{method}() returned {shown(returned)}, expected ({expected})")
    return returned


def _put(array: NDArray[Any], where: Any, value: Any, what: str) -> None:
    """Writes rows of an array.

    Raises:
        TypeError: The value's type does not convert to the array's without loss of kind.
        ValueError: It has another shape.
    """
    given = np.asarray(value)
    rows = len(array) if isinstance(where, slice) else len(where)
    expected = (rows, *array.shape[1:])
    if given.shape != expected:
        raise ValueError(f"{what} an array of shape {given.shape}, expected {expected}")
    if not np.can_cast(given.dtype, array.dtype, "same_kind"):
        raise TypeError(f"{what} an array of {given.dtype}, expected {array.dtype}")
    array[where] = given
