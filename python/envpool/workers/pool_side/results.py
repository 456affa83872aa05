"""ResultReader: makes what a pool returns of what its native pool does."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from envpool import _core
from envpool.errors import shown
from envpool.spec.fields import count_rows, map_leaves, row_of
from envpool.spec.infos import FAILURE
from envpool.workers.infos import FINAL_INFO, FINAL_OBS, merge_infos, own_objects
from envpool.workers.letters import Letters, Reply, describe_error, own, raise_failures
from envpool.workers.options import PoolOptions
from envpool.workers.spaces import SpaceLeaves

_STEP_ENTRIES = 5  # observation, reward, terminated, truncated, info

# By their rows: environments whose results cannot be returned, in words, and the errors.
Faults = dict[int, tuple[str, BaseException]]


class ResultReader:
    """Adds to native results what came by letter: infos, and what is no array.

    Args:
        native: The native pool.
        observation: The leaves of the observation space.
        options: How the pool is run.
        letters: How its workers write.
    """

    def __init__(
        self,
        native: _core.ProcessPool,
        observation: SpaceLeaves,
        options: PoolOptions,
        letters: Letters,
    ) -> None:
        self._native = native
        self._observation = observation
        self._options = options
        self._letters = letters

    def read(self, parcel: _core.Parcel) -> Any:
        """Results as the pool returns them. The same parcel can be read again.

        Args:
            parcel: What the native pool returned.

        Raises:
            EnvironmentFailure: An environment failed, or what it returned cannot be read.
            Exception: An info is refused, as by Gymnasium; see :func:`merge_infos`.
        """
        native, letters, failures, ended = parcel
        faults: Faults = {}
        has_extras = (
            letters
            or ended
            or not self._observation.is_native
            or len(native) > _STEP_ENTRIES
            or self._options.row_infos
        )
        if has_extras and not self._options.time_step:
            native, faults = self._with_letters(parcel)
        if failures or faults:
            self._raise(parcel, native, faults)
        return native

    def read_apart(self, parcel: _core.Parcel) -> tuple[Any, dict[int, Reply]]:
        """Native results, and by their rows what came by letter, each as its environment said it.

        Args:
            parcel: As for :meth:`read`.

        Raises:
            EnvironmentFailure: An environment failed, or what it returned cannot be read.
        """
        native, _, failures, _ = parcel
        replies, faults = self._open(parcel)
        if failures or faults:
            self._raise(parcel, native, faults)
        return native, replies

    def _raise(self, parcel: _core.Parcel, results: Any, faults: Faults) -> NoReturn:
        """Raises failures, those of the native pool and those of rows with faults."""
        _, letters, failures, _ = parcel
        failed = {env_id: faults[row] for row, env_id, _ in letters if row in faults}
        for env_id, (text, _) in failed.items():
            self._native.fail(env_id, text)
        lost = [env_id for env_id, _ in self._native.lost_envs()]
        raise_failures(self._letters, [*failures, *failed.items()], results, lost)

    def _with_letters(self, parcel: _core.Parcel) -> tuple[tuple[Any, ...], Faults]:
        """The results with what came along, of all rows but those that have a fault."""
        replies, faults = self._open(parcel)
        native = parcel[0]
        count = self._count(native, len(parcel[1]))
        if faults:
            keep = np.ones(count, np.bool_)
            keep[list(faults)] = False
            places = (np.cumsum(keep) - 1).tolist()
            replies = {places[row]: reply for row, reply in replies.items()}
            native, count = self._take(native, keep), int(keep.sum())
        return self._with_replies(native, count, replies), faults

    def _open(self, parcel: _core.Parcel) -> tuple[dict[int, Reply], Faults]:
        """What came along with rows, and which of it cannot be read."""
        native, letters, _, ended = parcel
        replies: dict[int, Reply] = {}
        faults: Faults = {}
        for row, _, letter in letters:
            try:
                replies[row] = self._letters.read_reply(letter)
            except Exception as error:
                text = f"what it returned cannot be read here: {describe_error(error)}"
                faults[row] = text, error
        _, most = self._native.survived_failures()
        if most > 0:  # infos of environments cannot hide what has failed
            for row, reply in replies.items():
                if FAILURE in reply.info:
                    _tell_left_out(FAILURE)
                    info = {key: its for key, its in reply.info.items() if key != FAILURE}
                    replies[row] = reply._replace(info=info)
        for row, why in ended:
            if row not in faults:
                reply = replies.get(row, Reply({}))
                told = self._with_failure(reply.info, why, native, row)
                replies[row] = reply._replace(info=told)
        return dict(sorted(replies.items())) if ended else replies, faults

    def _with_failure(
        self, info: dict[Any, Any], why: str, native: tuple[Any, ...], row: int
    ) -> dict[Any, Any]:
        """The info that came along with a row, with the failure that has ended its episode."""
        return info | {FAILURE: why}

    def _count(self, native: tuple[Any, ...], num_letters: int) -> int:
        """How many environments have a row; without arrays in it, every row has a letter."""
        is_step = len(native) >= _STEP_ENTRIES
        if is_step or self._observation.arrays:
            return count_rows(native[1 if is_step else 0])
        return num_letters

    def _with_replies(
        self, native: tuple[Any, ...], count: int, replies: Mapping[int, Reply]
    ) -> tuple[Any, ...]:
        """The results of so many rows with their replies."""
        final_info: dict[str, Any] = {}
        if len(native) > _STEP_ENTRIES:
            *native_step, (_, final_info) = native
            native = tuple(native_step)
        arrays, *columns, info = native
        observation = self._observation.batch(arrays, [its.objects for its in replies.values()])
        if self._options.row_infos:
            infos: list[dict[str, Any]] = [row_of(info, row) for row in range(count)]
            for row, reply in replies.items():
                infos[row] |= own(reply.info) if self._options.num_workers == 0 else reply.info
            return (observation, *columns, infos)
        merged = merge_infos(count, _rows(replies, final_info), strict=self._options.raw_infos)
        self._own(merged)
        # The environments' own infos cannot hide whose rows these are.
        for name in merged.keys() & info.keys():
            if merged.pop(f"_{name}", None) is not None:
                _tell_left_out(name)
        return (observation, *columns, merged | info)

    def _own(self, merged: dict[str, Any]) -> None:
        if self._options.num_workers == 0:
            own_objects(merged)

    def _take(self, native: tuple[Any, ...], keep: NDArray[np.bool_]) -> tuple[Any, ...]:
        """These rows of native results."""
        rows: tuple[Any, ...] = take(native, keep)
        return rows


def _tell_left_out(name: str) -> None:
    """Warns that an info is named like one of the pool's; Python shows that once."""
    warnings.warn(
        f"the environments' info {shown(name)} is left out: the pool has one of that name, "
        "which means something else; give it another name, or use envpool.vector, which has "
        "no infos of its own",
        stacklevel=1,
    )


def take(tree: Any, keep: NDArray[np.bool_]) -> Any:
    """These rows of arrays in dicts and tuples."""
    return map_leaves(lambda array: array[keep], tree)


def _rows(
    replies: Mapping[int, Reply], final_info: dict[str, Any]
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
