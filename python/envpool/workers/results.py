"""ResultReader: makes what a pool returns of what its native pool does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.spec.fields import count_rows
from envpool.workers.letters import Letters, Reply, raise_failures
from envpool.workers.options import PoolOptions
from envpool.workers.spaces import SpaceLeaves

# What the infos of a step have where it ended an episode and began the next.
FINAL_OBS, FINAL_INFO = "final_obs", "final_info"
_STEP_ENTRIES = 5  # observation, reward, terminated, truncated, info


class ResultReader:
    """Adds to native results what came by letter: infos, and what is no array.

    Args:
        native: The native pool.
        observation: The leaves of the observation space.
        options: How the pool is run.
        letters: How its workers write.
        has_players: Have environments several agents? Then infos are dicts of the agents' infos, by
            the numbers of their rows among those of the environment.
    """

    def __init__(
        self,
        native: _core.SharedPool,
        observation: SpaceLeaves,
        options: PoolOptions,
        letters: Letters,
        has_players: bool,
    ) -> None:
        self._native = native
        self._has_players = has_players
        self._observation = observation
        self._options = options
        self._letters = letters
        self._has_rest = not observation.is_native

    def read(self, parcel: tuple[Any, ...]) -> Any:
        """Results as the pool returns them.

        Args:
            parcel: What the native pool returned.

        Raises:
            EnvironmentFailure: An environment failed.
        """
        native, letters, failures = parcel
        has_extras = letters or self._has_rest or len(native) > _STEP_ENTRIES
        if has_extras and not self._options.time_step:
            replies = {row: self._letters.read_reply(letter) for row, letter in letters}
            native = self._with_replies(native, replies)
        if failures:
            lost = [env_id for env_id, _ in self._native.lost_envs()]
            raise_failures(self._letters, failures, native, lost)
        return native

    def _with_replies(self, native: tuple[Any, ...], replies: dict[int, Reply]) -> tuple[Any, ...]:
        final_info: dict[str, Any] = {}
        if len(native) > _STEP_ENTRIES:
            *native_step, (_, final_info) = native
            native = tuple(native_step)
        observation, *columns, info = native
        if self._has_players:
            info["players"] = _player_infos(info["players"]["env_id"], replies) | info["players"]
            return (self._observation.batch(observation, ()), *columns, info)
        # Without arrays in it, every row has a reply.
        has_arrays = bool(columns or self._observation.arrays)
        count = count_rows(columns[0] if columns else observation) if has_arrays else len(replies)
        merged = merge_infos(count, _rows(replies, final_info))
        objects = [reply.objects for reply in replies.values()]
        # The environments' own infos cannot hide whose rows these are.
        return (self._observation.batch(observation, objects), *columns, merged | info)


def _player_infos(owners: NDArray[np.int32], replies: dict[int, Reply]) -> dict[str, Any]:
    """The infos of agents in one dict, with an entry for each row of theirs.

    Args:
        owners: The environment of each of these rows; those of an environment follow one another.
        replies: What came with the rows of environments.
    """
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))  # every environment has some
    rows = (
        (firsts[row] + i, info) for row, reply in replies.items() for i, info in reply.info.items()
    )
    return merge_infos(len(owners), rows)


def _rows(
    replies: dict[int, Reply], final_info: dict[str, Any]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The infos of rows: first of an episode that ended, then of the one that began.

    Args:
        replies: What came with the rows.
        final_info: Columns that are infos of the ended episode, too.
    """
    for row, reply in replies.items():
        if reply.final_info is not None:
            pool_infos = {key: column[row] for key, column in final_info.items()}
            final = {FINAL_OBS: reply.final_observation, FINAL_INFO: reply.final_info | pool_infos}
            yield row, final
        yield row, reply.info


def merge_infos(num_rows: int, rows: Iterable[tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """The infos of some rows in one dict.

    Each key has an array with an entry per row, 0 or None for those that do not have the key, and
    a mask ``_key`` that tells which do. The first value of a key determines the array's type:
    numbers and arrays of numbers keep theirs, dicts are merged in the same way, all others become
    objects.

    Args:
        num_rows: How many rows there are.
        rows: Infos with their row, in the order in which keys are to appear. A row may come several
            times.
    """
    merged: dict[str, Any] = {}
    for row, info in rows:
        _add(merged, info, row, num_rows)
    return merged


def _add(merged: dict[str, Any], info: dict[str, Any], row: int, num_rows: int) -> None:
    for key, value in info.items():
        if isinstance(value, dict) and key != FINAL_OBS:
            column = merged.get(key, {})
            _add(column, value, row, num_rows)
        else:
            column = merged.get(key)
            if column is None:
                column = _make_column(key, value, num_rows)
            column[row] = value
        mask = merged.get(f"_{key}")
        if mask is None:
            mask = np.zeros(num_rows, np.bool_)
        mask[row] = True
        merged[key], merged[f"_{key}"] = column, mask


def _make_column(key: str, value: Any, num_rows: int) -> NDArray[Any]:
    kind = type(value)
    if key != FINAL_OBS:
        if kind in (int, float, bool) or issubclass(kind, np.number):
            return np.zeros(num_rows, kind)
        if isinstance(value, np.ndarray):
            return np.zeros((num_rows, *value.shape), value.dtype)
    return np.full(num_rows, None, object)
