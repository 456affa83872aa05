"""ReplayBuffer: the last transitions of a pool's environments, from which learners sample."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from envpool.errors import ArgumentError, EnvironmentFailure, shown
from envpool.flavours.base import EnvPool
from envpool.rollouts.arrays import action_of, pairs, require_no_mask, require_pool
from envpool.rollouts.async_rollout import why_no_rows
from envpool.rollouts.frame_store import FrameStore, frame_bytes, frames_of
from envpool.rollouts.observation_rows import ObservationRows
from envpool.spec.fields import map_leaves
from envpool.spec.memory import require_memory, row_bytes
from envpool.spec.values import integer


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
        require_pool(pool, "rows of this pool cannot be kept in a replay buffer", why_no_rows)
        if pool.is_async:
            raise ArgumentError(
                f"batch_size is {pool.config['batch_size']}, expected num_envs, {pool.num_envs}: a "
                "replay buffer steps all environments"
            )
        num_steps = integer("capacity", capacity, pool.num_envs) // pool.num_envs
        self.pool = pool
        self.capacity = num_steps * pool.num_envs
        spec, known = pool._spec, pool._spec.spaces.columns
        self._ends_in_step = spec.config.autoreset_mode == "SameStep"
        # So many rows begin no transition that can be sampled: the newest, which has no next
        # observation, and the oldest, whose frames are missing.
        observed = spec.spaces.described["observation"]
        self._num_oldest = max(frames_of(spec, field["shape"]) for field in observed)
        self._num_rows = num_steps + self._num_oldest
        fields = {f"action.{field['name']}": field for field in spec.spaces.action_fields}
        row = frame_bytes(spec) + sum(row_bytes(f["dtype"], f["shape"]) for f in fields.values())
        what = f"a replay buffer with capacity = {self.capacity} needs"
        require_memory(self._num_rows * pool.num_envs * row, what, ["capacity"])
        self._rows = ObservationRows(pool, self._num_rows)
        self._has_one_action = len(fields) == 1
        fields |= {name: known[f"@{name}"] for name in ("reward", "terminated", "truncated")}
        # By their names in files, arrays with a row for each step and environment.
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.zeros((self._num_rows, pool.num_envs, *field["shape"]), field["dtype"])
            for name, field in fields.items()
        }
        self._is_kept = np.zeros((self._num_rows, pool.num_envs), np.bool_)  # can be sampled
        self._arrays["is_kept"] = self._is_kept
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
        nobody = np.zeros(self.pool.num_envs, np.bool_)
        row = self._next_row()
        self._rows.keep(row, observation, nobody, info["elapsed_step"], is_first=True)
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
        observation, reward, terminated, truncated, info = results[:5]
        ended = terminated | truncated
        row = self._row
        if self._ends_in_step and ended.any():
            self._rows.keep_last(row, results[5][0], np.flatnonzero(ended))
        begins = self._rows.keep(self._next_row(), observation, ended, info["elapsed_step"])
        # In the same step, other episodes have begun after transitions.
        breaks = info.get("_failure", False) if self._ends_in_step else begins
        is_kept = ~np.asarray(breaks) & (not self._rows.is_restored)
        given = [action] if self._has_one_action else action
        parts = [*given, reward, terminated, truncated, is_kept]
        for array, part in zip(self._arrays.values(), parts, strict=True):
            array[row] = part
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
        *actions, reward, terminated, truncated, _ = parts
        ended = terminated | truncated

        def next_of(store: FrameStore) -> Any:
            references = store.references[following]
            if self._ends_in_step:
                references[ended] = store.last[numbers[ended]]
            return store.gather(references)

        return Transitions(
            observation=map_leaves(
                lambda store: store.gather(store.references[numbers]), self._rows.stores
            ),
            action=action_of(self.pool._spec, actions),
            reward=reward,
            next_observation=map_leaves(next_of, self._rows.stores),
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
        arrays |= {name: array[: self._num_filled] for name, array in self._arrays.items()}
        for name, store in self._named_stores():
            arrays |= {f"{name}.{key}": array for key, array in store.saved(self._num_filled)}
        unfinished = Path(f"{fspath(path)}.part")
        with unfinished.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        unfinished.replace(path)

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
        try:
            with np.load(path, allow_pickle=False) as saved:
                self._load(path, saved)
        except ArgumentError:
            raise
        except (TypeError, KeyError, ValueError, EOFError, BadZipFile, zlib.error) as error:
            raise ArgumentError(f"{path} is damaged, or of another kind: {error}") from error

    def _load(self, path: str | PathLike[str], saved: Mapping[str, NDArray[Any]]) -> None:
        kind = json.loads(str(saved["kind"]))
        for key, own in self._kind().items():
            if kind.get(key) != own:
                raise ArgumentError(
                    f"{path} is of a buffer with {key} {kind.get(key)}, expected {own}"
                )
        self._is_whole = False
        self._is_kept[:] = False  # until all is there: they are the last array
        self._row, self._num_filled = saved["rows"].tolist()
        for name, store in self._named_stores():
            store.restore(name, saved, self._num_filled)
        for name, array in self._arrays.items():
            array[: self._num_filled] = saved[name]

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
        return pairs(self.pool._spec.spaces.contents.observation, self._rows.stores)

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
        """What a call of the pool returns; unless it is refused, a step lacks until it is kept."""
        was_whole, self._is_whole = self._is_whole, False
        try:
            return method(*arguments)
        except (TypeError, ValueError):
            self._is_whole = was_whole
            raise
        except EnvironmentFailure as failure:
            self.pool._fail(failure)

    def _next_row(self) -> int:
        """The row to be written, for which the oldest step is given up that refers to it."""
        self._row = (self._row + 1) % self._num_rows
        self._num_filled = max(self._num_filled, self._row + 1)
        self._is_kept[(self._row + self._num_oldest - 1) % self._num_rows] = False
        return self._row
