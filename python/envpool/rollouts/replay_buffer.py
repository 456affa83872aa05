"""ReplayBuffer: the last transitions of a pool's environments, from which learners sample."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, EnvironmentFailure, shown
from envpool.flavours.base import EnvPool
from envpool.rollouts.arrays import action_of, pairs, require_no_mask, row_bytes
from envpool.rollouts.async_rollout import require_rows
from envpool.rollouts.beginnings import Beginnings
from envpool.rollouts.frame_store import FrameStore, frames_of
from envpool.rollouts.saved_arrays import open_arrays, write_arrays
from envpool.spec.env_spec import EnvSpec
from envpool.spec.fields import map_leaves
from envpool.spec.memory import require_memory
from envpool.spec.values import AutoresetMode, integer, parse_mode


class Transitions(NamedTuple):
    """Transitions, of all environments in any order: arrays with a row for each of them.

    Attributes:
        observation: What was seen before the action, of shape ``(n, ...)``, with the dtype and
            structure of the pool's results.
        action: What the environment was given.
        reward: What came of it, float32 of shape ``(n,)``.
        next_observation: What was seen after it; where an episode has ended, its last observation.
        terminated: Where it has ended an episode, bool of shape ``(n,)``.
        truncated: The same of episodes that were cut off.
    """

    observation: Any
    action: Any
    reward: NDArray[np.float32]
    next_observation: Any
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


class ReplayBuffer:
    """The last transitions of all environments of a pool, as off-policy learners sample them.

    It steps the pool, and keeps what comes of it. Each frame of stacked observations is stored
    once, and each observation, too, though it is the next one of the transition before. Memory is
    taken as it is filled.

    >>> import envpool, numpy
    >>> pool = envpool.make("CartPole-v1", "gymnasium", num_envs=8)
    >>> buffer = envpool.ReplayBuffer(pool, capacity=10_000)
    >>> observation = buffer.reset(seed=1)
    >>> for _ in range(10):
    ...     observation = buffer.step(numpy.zeros(8, int))
    >>> buffer.sample(32, numpy.random.default_rng(1)).observation.shape
    (32, 4)

    Resets are no transitions, and neither are the rows of failures that a pool survives, or those
    after ``set_state``: none of them is sampled.

    Args:
        pool: A synchronous pool of environments of one player each, native ones or some written in
            Python, in Gymnasium's or an old gym's API. While the buffer is used, nobody else steps
            or resets it.
        capacity: How many transitions it has room for, of all environments together; newer ones
            replace the oldest.

    Attributes:
        pool: The pool.
        capacity: The same, without what is left over when environments share it evenly.

    Raises:
        TypeError: ``pool`` is something else.
        ArgumentError: This pool's results cannot be kept; the message says why. Or ``capacity`` is
            less than the number of environments.
        MemoryError: It would not fit.
    """

    def __init__(self, pool: EnvPool, capacity: int) -> None:
        require_rows(pool, "a replay buffer")
        if pool.is_async:
            raise ArgumentError(
                f"batch_size is {pool.config['batch_size']}, expected num_envs, {pool.num_envs}: a "
                "replay buffer steps all environments"
            )
        num_steps = integer("capacity", capacity, pool.num_envs) // pool.num_envs
        self.pool = pool
        self.capacity = num_steps * pool.num_envs
        self._beginnings = Beginnings(pool)
        spec = pool._spec
        self._ends_in_step = parse_mode(spec.config.autoreset_mode) is AutoresetMode.SAME_STEP
        self._stores, self._num_rows, self._num_oldest = _stores_of(spec, num_steps)
        kinds: dict[str, tuple[str, tuple[int, ...]]] = {
            f"action.{field['name']}": (field["dtype"], field["shape"])
            for field in spec.spaces.action_fields
        }
        kinds |= {"reward": ("float32", ()), "terminated": ("bool", ()), "truncated": ("bool", ())}
        self._has_one_action = len(spec.spaces.action_fields) == 1
        # By their names in files, arrays with a row for each step and environment.
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.zeros((self._num_rows, pool.num_envs, *shape), dtype)
            for name, (dtype, shape) in kinds.items()
        }
        self._is_kept = np.zeros((self._num_rows, pool.num_envs), np.bool_)  # can be sampled
        self._row = -1  # the newest
        self._num_filled = 0
        self._is_whole = False

    def __len__(self) -> int:
        """How many transitions can be sampled."""
        return int(np.count_nonzero(self._is_kept))

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        """Starts new episodes of all environments. Transitions stay.

        Args:
            seed: As for the pool's ``reset``.
            options: As for the pool's ``reset``; without a mask.

        Returns:
            The first observations.

        Raises:
            TypeError, ValueError: An argument is not valid. Nothing has changed then.
            RuntimeError: An environment is running.
            envpool.errors.EnvironmentFailure: An environment failed.
        """
        require_no_mask(options)
        arguments = self.pool._check_reset(None, seed, options)
        observation, info = self._called(self.pool._pool.reset, *arguments, False)
        everyone = np.ones(self.pool.num_envs, np.bool_)
        self._beginnings.begin(~everyone, info["elapsed_step"])
        self._keep(observation, everyone)
        self._is_whole = True
        return observation

    def step(self, action: Any) -> Any:
        """Steps all environments, and keeps what came of it.

        Args:
            action: As for the pool's ``step``.

        Returns:
            The observations after it, which no later call changes.

        Raises:
            TypeError, ValueError: An action is not valid. Nothing has changed then.
            RuntimeError: The buffer must be reset: at first; after :meth:`load`; after a call that
                failed or was interrupted.
            envpool.errors.EnvironmentFailure: An environment failed. The step is not kept.
        """
        if not self._is_whole:
            raise RuntimeError("the buffer's pool was not reset, or a step is missing: reset() it")
        if isinstance(action, dict):
            action, _ = self.pool._split_action(action)
        results = self._called(self.pool._pool.step, action, None)
        self._is_whole = False  # until all is kept: Ctrl-C may come in between
        observation, reward, terminated, truncated, info = results[:5]
        ended = terminated | truncated
        begins = self._beginnings.of_step(ended, info["elapsed_step"])
        row = self._row
        given = [action] if self._has_one_action else action
        parts = zip(self._arrays.values(), [*given, reward, terminated, truncated], strict=True)
        for array, part in parts:
            array[row] = part
        # In the same step, other episodes have begun after transitions.
        breaks = info.get("_failure", False) if self._ends_in_step else begins
        self._is_kept[row] = ~np.asarray(breaks) & (not self._beginnings.is_restored)
        if self._ends_in_step and ended.any():
            envs = np.flatnonzero(ended)
            for store, rows in pairs(self._stores, results[5][0]):
                store.keep_last(row, envs, rows[envs])
        self._keep(observation, begins)
        self._is_whole = True
        return observation

    def sample(self, n: int, generator: np.random.Generator) -> Transitions:
        """Copies transitions, each of those kept with the same probability, some perhaps twice.

        Args:
            n: How many.
            generator: Draws them.

        Raises:
            TypeError: An argument has a wrong type.
            ArgumentError: ``n`` is less than 1.
            RuntimeError: There is no transition yet.
        """
        n = integer("n", n, 1)
        if not isinstance(generator, np.random.Generator):
            raise TypeError(f"generator is {shown(generator)}, expected a numpy.random.Generator")
        numbers = self._draw(n, generator)
        following = (numbers + self.pool.num_envs) % self._is_kept.size
        parts = [array.reshape(-1, *array.shape[2:])[numbers] for array in self._arrays.values()]
        *actions, reward, terminated, truncated = parts
        ended = terminated | truncated

        def next_of(store: FrameStore) -> Any:
            references = store.references[following]
            if self._ends_in_step:
                references[ended] = store.last[numbers[ended]]
            return store.gather(references)

        return Transitions(
            observation=map_leaves(
                lambda store: store.gather(store.references[numbers]), self._stores
            ),
            action=action_of(self.pool._spec, actions),
            reward=reward,
            next_observation=map_leaves(next_of, self._stores),
            terminated=terminated,
            truncated=truncated,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the transitions to a file of NumPy's arrays.

        Args:
            path: The file, which is replaced when the new one is complete.

        Raises:
            OSError: It cannot be written.
        """
        arrays = {"kind": np.array(json.dumps(self._kind()))}
        arrays["rows"] = np.array([self._row, self._num_filled])
        arrays["is_kept"] = self._is_kept[: self._num_filled]
        arrays |= {name: array[: self._num_filled] for name, array in self._arrays.items()}
        for name, store in self._named_stores():
            arrays |= {f"{name}.{key}": array for key, array in store.saved(self._num_filled)}
        write_arrays(path, arrays)

    def load(self, path: str | PathLike[str]) -> None:
        """Replaces the transitions by those of a file; after it, the buffer must be reset.

        The same generators then draw the same samples as from the buffer that was saved.

        Args:
            path: What :meth:`save` has written of a buffer of the same capacity, whose pool has as
                many environments and the same spaces.

        Raises:
            OSError: It cannot be read.
            ArgumentError: It is something else; nothing has changed then. Or it is damaged; then
                the buffer is empty.
        """
        with open_arrays(path) as saved:
            kind = json.loads(str(saved["kind"]))
            for key, own in self._kind().items():
                if kind.get(key) != own:
                    raise ArgumentError(
                        f"{path} is of a buffer with {key} {kind.get(key)}, expected {own}"
                    )
            self._is_whole = False
            self._is_kept[:] = False
            self._row, self._num_filled = saved["rows"].tolist()
            for name, store in self._named_stores():
                store.restore(name, saved, self._num_filled)
            for name, array in self._arrays.items():
                array[: self._num_filled] = saved[name]
            self._is_kept[: self._num_filled] = saved["is_kept"]  # now there is some to sample

    def _kind(self) -> dict[str, Any]:
        """What buffers must have in common to load each other's files."""
        arrays = self._arrays | {name: store.newest for name, store in self._named_stores()}
        return {
            "format": "envpool.ReplayBuffer 1",
            "num_envs": self.pool.num_envs,
            "capacity": self.capacity,
            "autoreset_mode": "SameStep" if self._ends_in_step else "NextStep",
            "arrays": {name: f"{array.dtype} {array.shape}" for name, array in arrays.items()},
        }

    def _named_stores(self) -> Iterator[tuple[str, FrameStore]]:
        """The observations' stores, by their names in files."""
        return pairs(self.pool._spec.spaces.contents.observation, self._stores)

    def _draw(self, n: int, generator: np.random.Generator) -> NDArray[np.intp]:
        """The numbers of transitions."""
        if not self._is_kept.any():
            raise RuntimeError("the buffer has no transition yet: reset() and step() it")
        is_kept = self._is_kept.reshape(-1)
        numbers = np.zeros(0, np.intp)
        while len(numbers) < n:
            drawn = generator.integers(self._num_filled * self.pool.num_envs, size=n)
            numbers = np.concatenate([numbers, drawn[is_kept[drawn]]])
        return numbers[:n]

    def _called(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """What a call of the pool returns. One that has failed leaves out a step."""
        try:
            return method(*arguments)
        except (TypeError, ValueError):
            raise  # it was refused
        except BaseException as error:
            self._is_whole = False
            if isinstance(error, EnvironmentFailure):
                self.pool._fail(error)
            raise

    def _keep(self, observation: Any, begins: NDArray[np.bool_]) -> None:
        """Writes the next row, and gives up the oldest steps, which lose what they refer to."""
        self._row = (self._row + 1) % self._num_rows
        self._num_filled = max(self._num_filled, self._row + 1)
        self._is_kept[(self._row + self._num_oldest - 1) % self._num_rows] = False
        for store, rows in pairs(self._stores, observation):
            store.keep(self._row, rows, begins)


def _stores_of(spec: EnvSpec, num_steps: int) -> tuple[Any, int, int]:
    """What keeps a buffer's observations.

    Args:
        spec: The pool's.
        num_steps: How many transitions of each environment there is room for.

    Returns:
        The stores, as observations are structured; how many rows they have; and how many of these
        are not the beginning of a transition that can be sampled: the newest, which has no next
        observation, and the oldest, whose frames are missing.

    Raises:
        MemoryError: It would not fit.
    """
    num_envs, known = spec.config.num_envs, spec.spaces.columns
    names = [f"obs.{name}" for name in spec.spaces.observation_names]
    counts = {name: frames_of(spec, known[name]["shape"]) for name in names}
    most = max(counts.values())
    num_rows = num_steps + most
    observed = sum(
        row_bytes(known[name]["dtype"], known[name]["shape"]) // count
        for name, count in counts.items()
    )
    given = sum(row_bytes(field["dtype"], field["shape"]) for field in spec.spaces.action_fields)
    what = f"a replay buffer with capacity = {num_steps * num_envs} needs"
    require_memory(num_rows * num_envs * (observed + given), what, ["capacity"])

    def store(name: str) -> FrameStore:
        field = known[name]
        return FrameStore(num_rows, num_envs, field["shape"], field["dtype"], counts[name])

    return map_leaves(store, spec.spaces.contents.observation), num_rows, most
